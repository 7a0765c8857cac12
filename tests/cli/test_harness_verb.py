"""``kvzero fuzz --harness``: exit codes, numbers, what is kept; Atheris itself where it is installed."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fuzz import corpus
from fuzz.harnesses import NAMES, Disagreement, launches, running
from tests.conftest import ROOT
from tests.unit.test_harnesses import needs_atheris


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--harness", "codex"), "harness='codex': must be one of codec, planner, launches"),
        (("--harness", "codec", "--cases", "3"), "--cases is given; leave it out"),
        (("--harness", "codec", "--seconds", "0"), "seconds=0: must be more than 0"),
    ],
)
def test_a_harness_asked_for_wrongly_is_refused(
    kvzero: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    """Exit 2, one line that names option, value and rule, and nothing written."""
    done = kvzero("fuzz", "--corpus", "c", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert not list(tmp_path.iterdir())


def test_without_atheris_the_way_to_it_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A usage error with the line that installs it."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(running.UsageError, match=r"pip install -c constraints.txt -e '.\[atheris\]'"):
        running.run("codec", 1.0, tmp_path / "c", seed=None, as_json=False, quiet=True)
    assert not list(tmp_path.iterdir())


def test_harnesses_are_executables() -> None:
    """LibFuzzer's -fork, -merge and -minimize_crash start them again by their names."""
    for name in NAMES:
        path = ROOT / "fuzz" / "harnesses" / f"fuzz_{name}.py"
        assert os.access(path, os.X_OK)
        assert path.read_text().startswith("#!/usr/bin/env ")


@needs_atheris
@pytest.mark.parametrize("name", NAMES)
def test_a_run_reports_and_ends_clean(
    kvzero: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, name: str
) -> None:
    """Executions and edges are counted, what evolved is kept in the corpus, exit 0."""
    done = kvzero("fuzz", "--harness", name, "--seconds", "2", "--seed", "1", "--corpus", "c", "--json")
    assert done.returncode == 0, done.stderr
    numbers = json.loads(done.stdout)
    assert numbers["executions"] > 10
    assert numbers["edges"] > 50
    assert numbers["finds"] == []
    assert list((tmp_path / "c" / ".atheris" / name).iterdir())


PLANTS = {
    "launches": "from oracles import launches\nlaunches.MOST_THREADS = 1000\n",
    "planner": """
from kvzero import planner
plan = planner.plan
def less(*given, **named):
    table = plan(*given, **named)
    return type(table)(table.base[1:], table.stride[1:], table.page[1:], table.blocks)
planner.plan = less
""",
}
"""By harness, what is done to the product in every process before the first import of ours."""


def _planted_run(tmp_path: Path, name: str, seconds: int) -> subprocess.CompletedProcess[str]:
    (tmp_path / "sitecustomize.py").write_text(PLANTS[name])
    paths = os.pathsep.join((str(tmp_path), str(ROOT), os.environ.get("PYTHONPATH", "")))
    command = [sys.executable, "-m", "fuzz", "fuzz", "--harness", name, "--seconds", str(seconds), "--corpus", "c"]
    return subprocess.run(
        command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, check=False
    )


@needs_atheris
def test_a_find_ends_the_run_with_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge that is a little off: the input is kept below crashing/, and its traceback beside it."""
    done = _planted_run(tmp_path, "launches", 60)
    assert done.returncode == 1, done.stderr
    (kept,) = (tmp_path / "c" / "crashing").glob("harness-launches-*.bin")
    words = kept.with_suffix(".txt").read_text()
    assert "Disagreement: grid (" in words.partition("\n")[0]
    assert f"find: c/crashing/{kept.name}" in done.stderr
    monkeypatch.setattr("oracles.launches.MOST_THREADS", 1000)
    with pytest.raises(Disagreement):
        launches.one(kept.read_bytes())


@needs_atheris
def test_a_planners_find_becomes_a_case(tmp_path: Path) -> None:
    """A planner that drops a segment: the find is booked, shrunk and kept as any other, no bytes are."""
    done = _planted_run(tmp_path, "planner", 60)
    assert done.returncode == 1, done.stderr
    found = list(corpus.entries(tmp_path / "c"))
    assert found
    assert all(list(entry.case.finds) == ["KVBlockZeroer@h200"] for entry in found)
    assert all(entry.case.layers for entry in found)
    assert not list((tmp_path / "c" / "crashing").glob("*.bin"))


@needs_atheris
def test_a_signal_ends_a_run_in_order(tmp_path: Path) -> None:
    """SIGTERM: the report is written, exit 0, and no process is left."""
    command = [sys.executable, "-m", "fuzz", "fuzz", "--harness", "codec", "--seconds", "90", "--corpus", "c", "--json"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        inputs = tmp_path / "c" / ".atheris" / "codec"
        while run.poll() is None and not (inputs.is_dir() and any(inputs.iterdir())):
            time.sleep(0.2)
        run.send_signal(signal.SIGTERM)
        out, words = run.communicate(timeout=30)
    assert run.returncode == 0, words
    assert json.loads(out)["seconds"] < 90
