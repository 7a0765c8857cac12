"""What became of the finds of earlier runs: each is replayed on today's target before the search begins."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from fuzz import codec, corpus
from fuzz.case import Case
from fuzz.control import Control
from fuzz.errors import CaseError
from fuzz.events import OpenFind
from fuzz.findbook import REPLAYS
from fuzz.hands import Hands
from fuzz.verdict import Bucket, Verdict
from fuzz.waiting import Abandoned

MOST_SECONDS = 30.0
SHARE = 0.1
"""Time for all of it, and the part of a run that it may take at the most: a search must not starve on old finds."""

DEADLY = ("faulted", "hung")
"""Kinds that may cost a worker each time; they come last, and are run once."""


def replayed(
    root: Path, targets: tuple[str, ...], device_profile: str, hands: Hands, control: Control
) -> list[OpenFind]:
    """Run the finds below ``crashing/`` that name one of the targets on this device profile.

    Args:
        root: the corpus.
        targets: those of the run.
        device_profile: whose launch limits hold.
        hands: run the cases.
        control: how long the run has, and whether it must end.
    """
    left = control.left
    until = control.elapsed + (MOST_SECONDS if left is None else min(MOST_SECONDS, SHARE * left))
    found = []
    for path, case, bucket in _open(root, targets, device_profile):
        state, now = "not replayed", ""
        if control.elapsed < until and not control.interrupted:
            with contextlib.suppress(Abandoned):
                state, now = _state(case, bucket, hands)
        found.append(OpenFind(str(bucket), str(path), state, now))
    return found


def _open(root: Path, targets: tuple[str, ...], device_profile: str) -> list[tuple[Path, Case, Bucket]]:
    """Files and buckets, those that may kill a worker last."""
    found = [
        (path, case, bucket)
        for path, case in _cases(root / corpus.CRASHING)
        for bucket in corpus.expected(case)
        if bucket.target in targets and bucket.device_profile == device_profile
    ]
    return sorted(found, key=lambda one: one[2].kind in DEADLY)


def _cases(folder: Path) -> Iterator[tuple[Path, Case]]:
    for path in sorted(folder.glob("*.json")):
        with contextlib.suppress(CaseError):  # somebody else's file; corpus check names it
            yield path, codec.read(path)


def _state(case: Case, bucket: Bucket, hands: Hands) -> tuple[str, str]:
    """State and today's label: ``still``, ``fixed``, ``changed``, or ``not replayed`` if the engine cannot hold it.

    One that showed only now and then is fixed if no replay shows anything.
    """
    unstable = bucket.kind == "unstable"
    verdict = Verdict("unproved")
    for _ in range(REPLAYS if unstable else 1):
        verdict = hands.attempt(case, bucket.target)
        if verdict.outcome == "finding":
            break
    if verdict.outcome == "finding":
        return "still" if unstable or verdict.shows(bucket) else "changed", verdict.label()
    return "fixed" if verdict.outcome == "passed" else "not replayed", verdict.label()
