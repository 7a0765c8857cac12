"""Which way a find is shrunk, and when to stop."""

from __future__ import annotations

import time
from collections.abc import Callable

from fuzz.case import Case
from fuzz.shrink import counts, numbers, sequence, structure
from fuzz.shrink.trial import DEADLY_RUNS, MANY_RUNS, Attempt, OutOfBudget, Shrunk, Trial, confirmed
from fuzz.verdict import Bucket, Verdict


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
        until = time.monotonic() + seconds
        lowered = sequence.lower(case, bucket, attempt, seconds, on_other, deadly=deadly)
        if lowered.case.sequence or deadly:
            return lowered
        left = max(until - time.monotonic(), 0.0)
        single = shrink(lowered.case, bucket, attempt, profile=profile, unit=unit, seconds=left, on_other=on_other)
        return single._replace(runs=lowered.runs + single.runs, late=lowered.late or single.late)
    launch = bucket.kind == "skipped" or bucket.detail.startswith("launch-")
    if launch:
        return _launch(case, bucket, attempt, seconds, on_other)
    most = DEADLY_RUNS if deadly else MANY_RUNS
    trial = Trial(case, bucket, attempt, seconds, most, on_other)
    try:
        structure.delete(trial)
        if deadly:
            return Shrunk(trial.best, trial.runs, finished=True, late=False)
        before, traced = None, True
        while before != trial.best:
            before = trial.best
            traced = numbers.lower(trial, profile, unit)
            structure.delete(trial)
    except OutOfBudget:
        return Shrunk(trial.best, trial.runs, finished=False, late=trial.late)
    return Shrunk(trial.best, trial.runs, finished=traced, late=False)


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
    trial = Trial(
        case, bucket, lambda smaller: attempt(smaller, rehearse=True), seconds, MANY_RUNS, confirmed(on_other, attempt)
    )
    try:
        if case.segments:
            counts.lower(trial)
        if trial.best == case:
            structure.delete(trial)
        finished = True
    except OutOfBudget:
        finished = False
    try:
        shown = attempt(trial.best).shows(bucket)
    except OutOfBudget:
        return Shrunk(case, trial.runs, finished=False, late=True)
    if shown:
        return Shrunk(trial.best, trial.runs + 1, finished, trial.late)
    return Shrunk(case, trial.runs, finished=False, late=trial.late)
