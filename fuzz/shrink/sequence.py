"""A sequence made smaller: cases out of it first, by halves and then singly, then those that are left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from msgspec.structs import replace

from fuzz.case import Case
from fuzz.shrink.structure import descend, shorter, steps, whole
from fuzz.shrink.trial import Trial


def lower(trial: Trial) -> None:
    """Make the trial's best sequence smaller until nothing moves, or one of its cases shows the find alone.

    The trial's best is that case by itself then.

    Raises:
        OutOfBudget: when the trial's time or runs are used up.
    """
    before = None
    while before != trial.best and trial.best.sequence:
        before = trial.best
        descend(trial, _fewer_members)
        for index, member in enumerate(trial.best.sequence):
            for candidates in steps(member):
                descend(trial, partial(_with_smaller, index, candidates))


def _fewer_members(case: Case) -> Iterator[Case]:
    """Without some of the cases; and at last each of them by itself, which should show nothing."""
    for kept in shorter(case.sequence, whole):
        if len(kept) > 1:
            yield replace(case, sequence=kept)
    yield from case.sequence


def _with_smaller(index: int, candidates: Callable[[Case], Iterator[Case]], case: Case) -> Iterator[Case]:
    """The sequence with one of its cases made smaller."""
    for smaller in candidates(case.sequence[index]):
        yield replace(case, sequence=(*case.sequence[:index], smaller, *case.sequence[index + 1 :]))
