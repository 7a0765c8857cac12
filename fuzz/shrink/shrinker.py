"""Which way a find is shrunk, and when to stop."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import NamedTuple, Protocol

from fuzz.case import Case
from fuzz.shrink import counts, numbers, sequence, structure
from fuzz.shrink.trial import OutOfBudget, Trial
from fuzz.verdict import Bucket, Verdict

DEADLY_RUNS = 8
"""Runs of a find that costs a worker each time."""

MANY_RUNS = 100_000
"""A bound that only a shrinker gone astray meets."""


class Attempt(Protocol):
    """Runs a case on the find's target; a rehearsal judges grids and runs no legal launch."""

    def __call__(self, case: Case, *, rehearse: bool = False) -> Verdict:
        """The verdict."""


class Shrunk(NamedTuple):
    """The smallest case that was reached, the runs that it took, and whether the end was reached."""

    case: Case
    runs: int
    finished: bool


def shrink(
    case: Case,
    bucket: Bucket,
    attempt: Attempt,
    *,
    profile: str,
    unit: int,
    seconds: float,
    on_other: Callable[[Case, Verdict], None],
    deadly: bool = False,
) -> Shrunk:
    """Make a find smaller without leaving its bucket.

    Args:
        case: the find.
        bucket: where it belongs.
        attempt: runs a candidate.
        profile: what drew the case; others are tried if it did not.
        unit: the target's unit in bytes.
        seconds: time for all of it; the best so far is kept when it is over.
        on_other: told of findings of other buckets met on the way.
        deadly: whether each run that shows the find costs a worker; then there are few.
    """
    if case.sequence:
        return _sequence(
            case, bucket, attempt, profile=profile, unit=unit, seconds=seconds, on_other=on_other, deadly=deadly
        )
    launch = bucket.kind == "skipped" or bucket.detail.startswith("launch-")
    if launch:
        return _launch(case, bucket, attempt, seconds, on_other)
    most = DEADLY_RUNS if deadly else MANY_RUNS
    trial = Trial(case, bucket, attempt, seconds, most, on_other)
    try:
        structure.delete(trial)
        if deadly:
            return Shrunk(trial.best, trial.runs, finished=True)
        before, traced = None, True
        while before != trial.best:
            before = trial.best
            traced = numbers.lower(trial, profile, unit)
            structure.delete(trial)
    except OutOfBudget:
        return Shrunk(trial.best, trial.runs, finished=False)
    return Shrunk(trial.best, trial.runs, finished=traced)


def _sequence(
    case: Case,
    bucket: Bucket,
    attempt: Attempt,
    *,
    profile: str,
    unit: int,
    seconds: float,
    on_other: Callable[[Case, Verdict], None],
    deadly: bool,
) -> Shrunk:
    """Delete cases, and make those smaller that are left; one that shows the find alone is shrunk by itself."""
    trial = Trial(case, bucket, attempt, seconds, DEADLY_RUNS if deadly else MANY_RUNS, on_other)
    try:
        sequence.lower(trial)
    except OutOfBudget:
        return Shrunk(trial.best, trial.runs, finished=False)
    if trial.best.sequence or deadly:
        return Shrunk(trial.best, trial.runs, finished=True)
    single = shrink(
        trial.best, bucket, attempt, profile=profile, unit=unit, seconds=trial.seconds_left, on_other=on_other
    )
    return single._replace(runs=trial.runs + single.runs)


def _launch(
    case: Case,
    bucket: Bucket,
    attempt: Attempt,
    seconds: float,
    on_other: Callable[[Case, Verdict], None],
) -> Shrunk:
    """Rehearse down to the smallest grid, then run that one case for real.

    A rehearsal is no find: what it shows of another bucket is told once a real run has shown it, too.
    """
    others: set[tuple[str, str]] = set()

    def confirmed(other: Case, rehearsed: Verdict) -> None:
        if (rehearsed.kind, rehearsed.detail) in others:
            return
        others.add((rehearsed.kind, rehearsed.detail))
        verdict = attempt(other)
        if verdict.outcome == "finding":
            on_other(other, verdict)

    trial = Trial(case, bucket, lambda smaller: attempt(smaller, rehearse=True), seconds, MANY_RUNS, confirmed)
    try:
        if case.segments:
            counts.lower(trial)
        if trial.best == case:
            structure.delete(trial)
        finished = True
    except OutOfBudget:
        finished = False
    with contextlib.suppress(OutOfBudget):
        if attempt(trial.best).shows(bucket):
            return Shrunk(trial.best, trial.runs + 1, finished)
    return Shrunk(case, trial.runs, finished=False)
