"""A sequence made smaller: cases out of it first, by halves and then singly, then those that are left.

What earlier candidates left in a process may show a find that is not there: in a case by itself, in another
bucket, or in the sequence. So what was reached in one process is proved in a fresh one.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from functools import partial

from msgspec.structs import replace

from fuzz.case import Case
from fuzz.shrink.structure import descend, shorter, steps, whole
from fuzz.shrink.trial import DEADLY_RUNS, MANY_RUNS, Attempt, OutOfBudget, Shrunk, Trial, confirmed
from fuzz.verdict import Bucket, Verdict

OnOther = Callable[[Case, Verdict], None]


def lower(case: Case, bucket: Bucket, attempt: Attempt, seconds: float, on_other: OnOther, *, deadly: bool) -> Shrunk:
    """Make a sequence smaller until nothing moves, or one of its cases shows the find alone.

    If a fresh process does not show the result, the smallest sequence on the way that it shows is taken, and only
    cases are deleted from it, each time in a fresh process. A deadly find has one for each run anyway.

    Args:
        case: the sequence.
        bucket: where it belongs.
        attempt: runs a candidate.
        seconds: time for all of it, but for the proof.
        on_other: told of findings of other buckets that a fresh process shows.
        deadly: whether each run that shows the find costs a worker.
    """
    until = time.monotonic() + seconds
    if deadly:
        trial = Trial(case, bucket, attempt, seconds, DEADLY_RUNS, on_other)
        finished = _ends(trial, fewer_only=True)
        return Shrunk(trial.best, trial.runs, finished, trial.late)

    def fresh(smaller: Case) -> Verdict:
        return attempt(smaller, fresh=True)

    def quick(smaller: Case) -> Verdict:
        verdict = attempt(smaller)
        return verdict if smaller.sequence or not verdict.shows(bucket) else fresh(smaller)

    def careful(smaller: Case) -> Verdict:
        verdict = attempt(smaller)
        return fresh(smaller) if verdict.shows(bucket) else verdict

    others = confirmed(on_other, fresh)
    trial = Trial(case, bucket, quick, seconds, MANY_RUNS, others)
    finished = _ends(trial, fewer_only=False)
    with contextlib.suppress(OutOfBudget):
        proved, runs = _last_shown(trial.descent, lambda smaller: fresh(smaller).shows(bucket))
        if proved == trial.best:
            return Shrunk(proved, trial.runs + runs, finished, trial.late)
        again = Trial(proved, bucket, careful, until - time.monotonic(), MANY_RUNS, others)
        _ends(again, fewer_only=True)
        return Shrunk(again.best, trial.runs + runs + again.runs, finished=False, late=trial.late or again.late)
    return Shrunk(case, trial.runs, finished=False, late=True)


def _ends(trial: Trial, *, fewer_only: bool) -> bool:
    """Lower the trial's best; whether that came to its end."""
    before = None
    try:
        while before != trial.best and trial.best.sequence:
            before = trial.best
            descend(trial, fewer_members)
            for index, member in enumerate(() if fewer_only else trial.best.sequence):
                for candidates in steps(member):
                    descend(trial, partial(_with_smaller, index, candidates))
    except OutOfBudget:
        return False
    return True


def _last_shown(descent: list[Case], shows: Callable[[Case], bool]) -> tuple[Case, int]:
    """The smallest case of a descent that shows the find, found by halving, and the runs that it took."""
    low, high, middle, runs = 0, len(descent), len(descent) - 1, 0
    while high - low > 1:
        runs += 1
        if shows(descent[middle]):
            low = middle
        else:
            high = middle
        middle = (low + high) // 2
    return descent[low], runs


def fewer_members(case: Case) -> Iterator[Case]:
    """Without some of the cases; and at last each of them by itself, which should show nothing."""
    for kept in shorter(case.sequence, whole):
        if len(kept) > 1:
            yield replace(case, sequence=kept)
    yield from case.sequence


def _with_smaller(index: int, candidates: Callable[[Case], Iterator[Case]], case: Case) -> Iterator[Case]:
    """The sequence with one of its cases made smaller."""
    for smaller in candidates(case.sequence[index]):
        yield replace(case, sequence=(*case.sequence[:index], smaller, *case.sequence[index + 1 :]))
