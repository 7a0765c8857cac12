"""Targets that make trouble now and then among good ones: nothing is lost, nobody else is blamed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.conftest import ROOT

TROUBLES = ROOT / "tests" / "planted_troubles.py"
CASES = 150
SEED = 3

BUCKETS = {
    "faults": "faulted:memory",
    "starves": "rejected:other-RuntimeError",
}
"""What shows without a GPU; a hang takes ten seconds and has its own test, a neighbour has no memory there."""


def test_every_trouble_is_in_its_bucket_and_no_case_is_lost(kvzero: Callable, tmp_path: Path) -> None:
    """A target that ends its process, one that asks for too much memory, one that leaks, and two good ones."""
    names = [*BUCKETS, "leaks", "neighbour"]
    targets = [f"{TROUBLES}:{name}" for name in names] + ["masked_grid"]
    run = kvzero(
        "fuzz", *(word for target in targets for word in ("--target", target)), "--profile", "small",
        "--cases", str(CASES), "--seed", str(SEED), "--corpus", "found", "--engine", "simulator", "--json",
    )  # fmt: skip
    report = json.loads(run.stdout)
    outcomes = ("passed", "declined", "unproved", "findings", "infra")
    assert report["attempted"] == sum(report[outcome] for outcome in outcomes) == CASES * len(targets)
    assert report["infra"] == 0, run.stderr
    expected = {f"{TROUBLES}:{name}@h200 {label}" for name, label in BUCKETS.items()}
    found = {find["bucket"] for find in report["finds"]}
    assert found - {find for find in found if ":neighbour@" in find} == expected
    assert run.returncode == 1
    assert list(tmp_path.glob("found/.flight/*.slot")) == []
