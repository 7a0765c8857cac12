"""Profile exhaustive from the command line: how far it came, why it ended, and what it finds."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fuzz import codec
from fuzz.profiles import exhaustive
from tests.conftest import ROOT

PLANTED = ROOT / "tests" / "planted_bounds.py"
COMMON = ("fuzz", "--profile", "exhaustive", "--corpus", "c", "--engine", "simulator", "--workers", "1", "--json")


def test_a_run_to_the_end_is_exhausted(kvzero: Callable) -> None:
    """It needs no time and no count, says its size at the start, and decides every case once, for good."""
    run = kvzero(*COMMON, "--target", f"{PLANTED}:one_id", "--dir", "d")
    assert run.returncode == 0, run.stderr
    report, size = json.loads(run.stdout), exhaustive.size(64)
    assert report["stop_reason"] == "exhausted"
    assert report["exhaustive"] == {"size": size, "done": size}
    assert report["attempted"] == size == report["passed"] + report["declined"]
    assert report["passed"] > 1000
    assert f"profiles exhaustive of {size} cases" in run.stderr
    assert f"exhaustive: {size} of {size} cases tried" in run.stderr
    assert kvzero("fuzz", "--resume", "d", "--json").stdout == run.stdout


def test_a_run_cut_short_goes_on_where_it_ended(kvzero: Callable, tmp_path: Path) -> None:
    """Killed by a signal, it tries the rest when it is resumed, no case twice, and is exhausted."""
    command = [sys.executable, "-m", "fuzz", *COMMON, "--target", f"{PLANTED}:one_id", "--dir", "d"]
    run = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        deadline = time.monotonic() + 60
        while not (tmp_path / "d" / "stats.json").exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        run.send_signal(signal.SIGTERM)
        first = json.loads(run.communicate(timeout=30)[0])
    finally:
        run.kill()
    assert first["stop_reason"] == "signal SIGTERM"
    size = exhaustive.size(64)
    assert first["exhaustive"] == {"size": size, "done": first["attempted"]}
    assert first["attempted"] < size
    again = kvzero("fuzz", "--resume", "d", "--json")
    assert again.returncode == 0, again.stderr
    report = json.loads(again.stdout)
    assert (report["stop_reason"], report["attempted"]) == ("exhausted", size)
    assert report["exhaustive"] == {"size": size, "done": size}


@pytest.mark.parametrize(
    ("budget", "reason"), [(("--cases", "20"), "cases"), (("--seconds", "15", "--cases", "1000000"), "time")]
)
def test_a_run_cut_short_says_how_far_it_came(kvzero: Callable, budget: tuple[str, ...], reason: str) -> None:
    """On two targets a case is done when both have tried it; the size is that of the smaller unit."""
    run = kvzero(*COMMON, "--target", "masked_grid", "--target", "chunk_list", *budget)
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    done = report["attempted"] // 2
    assert report["stop_reason"] == reason
    assert report["exhaustive"] == {"size": exhaustive.size(1), "done": done}
    assert 0 < done < exhaustive.size(1)
    assert done == 20 or reason == "time"


@pytest.mark.parametrize(
    ("name", "label", "segments", "ids"),
    [("last_of_three", "stale:whole page", [(4, 4)], 3), ("one_chunk", "stale:tail", [(4100, 4100)], 1)],
)
def test_a_planted_fault_is_found_and_shrunk(
    kvzero: Callable, tmp_path: Path, name: str, label: str, segments: list[tuple[int, int]], ids: int
) -> None:
    """Its own profile draws no choices to shrink by, so another one's are used."""
    target = f"{PLANTED}:{name}"
    run = kvzero(*COMMON, "--target", target, "--cases", "150")
    assert run.returncode == 1, run.stderr
    finds = {find["bucket"]: find for find in json.loads(run.stdout)["finds"]}
    find = finds[f"{target}@h200 {label}"]
    assert find["count"] > 0
    case = codec.read(tmp_path / find["case"])
    assert [(s.page, s.stride) for s in case.segments] == segments
    cleared = case.calls[0].ids.tolist()
    assert len(cleared) == ids
    assert cleared[-1] not in cleared[:-1]  # or it would have been cleared before


def test_turns_are_refused(kvzero: Callable) -> None:
    """Beside another profile it is a usage error with the way out."""
    run = kvzero(*COMMON, "--profile", "small")
    assert run.returncode == 2
    assert "profile='exhaustive': runs to its end and takes no turns; run it without small" in run.stderr
