"""A warm-up that misses a variant, from the command line: found, shrunk, replayed, and not exported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fuzz import codec
from tests.conftest import ROOT

TARGETS = ROOT / "tests" / "warmups.py"


@pytest.mark.parametrize(
    ("name", "label", "segments", "ids"),
    [
        ("one_count", "recompiled:n_blocks", 1, 2),
        ("two_counts", "recompiled:n_blocks", 1, 16),
        ("other_alignment", "recompiled:stride_ptr", 1, 1),
        ("grid_size", "recompiled:GRID_SIZE", 1, 2),
    ],
)
def test_a_warm_up_is_found_shrunk_and_replayed(
    kvzero: Callable, tmp_path: Path, name: str, label: str, segments: int, ids: int
) -> None:
    """The smallest case has just the ids that the variant takes; a case file is warm unless it says otherwise."""
    target = f"{TARGETS}:{name}"
    run = kvzero(
        "fuzz", "--target", target, "--profile", "small", "--seed", "1", "--stop-on-find", "--corpus", "found",
        "--engine", "simulator", "--json",
    )  # fmt: skip
    assert run.returncode == 1, run.stderr
    (find,) = json.loads(run.stdout)["finds"]
    assert find["bucket"] == f"{target}@h200 {label}"
    case = codec.read(tmp_path / find["case"])
    assert not case.cold
    assert (sum(s.times for s in case.segments), sum(len(call.ids) for call in case.calls)) == (segments, ids)
    again = kvzero("replay", find["case"], "--engine", "simulator")
    assert again.returncode == 1
    assert label in again.stderr
    exported = kvzero("export", find["case"], "-o", "report.py")
    assert exported.returncode == 2
    assert "show it with: kvzero replay" in exported.stderr
