"""Cases in flight together on a GPU: verdicts are those of each case alone, and troubles cost their own case only."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from fuzz import messages
from fuzz.checking import Checker
from tests.conftest import ROOT, planted

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")

CASES = 600
SECONDS = float(os.environ.get("KVZERO_TRIAL_SECONDS", "90"))
"""How long the trial of survival lasts; a longer one meets more."""

TROUBLES = ROOT / "tests" / "planted_troubles.py"
BUCKETS = {
    "faults": {"faulted:memory"},
    "hangs": {"hung"},
    "starves": {"rejected:other-OutOfMemoryError"},
    "neighbour": {"clobbered:guard", "clobbered:other block", "clobbered:other segment", "clobbered:padding",
                  "clobbered:other storage", "unstable", "wrong:head", "wrong:body", "wrong:tail"},
}  # fmt: skip
"""What each may be found guilty of; a neighbour's byte is damaged wherever it happens to lie."""


@pytest.mark.parametrize("target", ["masked_grid", "page_table", "KVBlockZeroer", "chunk_list", planted("low_byte")])
def test_a_batch_says_of_each_case_what_it_shows_alone(target: str) -> None:
    """Outcomes and finds of the same attempts, flown together and one by one."""
    checker = Checker((target,), "cuda")
    profiles = ("layout",) if target == "KVBlockZeroer" else ("small",)
    told = []
    try:
        unit = min(checker.opened().units.values())
        for alone in (False, True):
            found: list[messages.Found] = []
            request = messages.Batch(5, profiles, unit, 0, CASES, 600.0, alone=alone)
            done = checker._crew.batch(request, found.append)
            told.append((done.following, dict(done.counts), [(one.attempt, one.verdict.label()) for one in found]))
    finally:
        checker.close()
    together, alone = told
    assert together == alone
    assert together[0] == CASES


@pytest.mark.timeout(SECONDS + 150)
def test_troubles_among_good_targets(kvzero: Callable, tmp_path: Path) -> None:
    """Faults, hangs, hunger, stray stores and leaks: counts close, each in its bucket, nobody else is found."""
    targets = [f"{TROUBLES}:{name}" for name in (*BUCKETS, "leaks")] + ["masked_grid"]
    run = kvzero(
        "fuzz", *(word for target in targets for word in ("--target", target)), "--profile", "small", "--seed", "1",
        "--seconds", str(SECONDS), "--workers", "4", "--corpus", "found", "--dir", "trial", "--json",
        timeout=SECONDS + 120,
    )  # fmt: skip
    report = json.loads(run.stdout)
    outcomes = ("passed", "declined", "unproved", "findings", "infra")
    assert report["attempted"] == sum(report[outcome] for outcome in outcomes) > 0
    assert report["infra"] == 0, run.stderr
    found: dict[str, set[str]] = {}
    for find in report["finds"]:
        key, _, label = find["bucket"].partition(" ")
        found.setdefault(key.removeprefix(f"{TROUBLES}:").partition("@")[0], set()).add(label)
    assert "faults" in found
    assert found.keys() <= BUCKETS.keys(), "a good target was found guilty"
    for name, labels in found.items():
        assert labels <= BUCKETS[name]
    assert not list((tmp_path / "trial" / "flight").glob("*.slot"))
