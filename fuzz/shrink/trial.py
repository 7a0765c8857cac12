"""The question that shrinking asks again and again: is this smaller case still in the bucket?"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

from fuzz.case import Case
from fuzz.rules import broken_rule
from fuzz.simplicity import order
from fuzz.verdict import Bucket, Verdict

DEADLY_RUNS = 8
"""Runs of a find that costs a worker each time."""

MANY_RUNS = 100_000
"""A bound that only a shrinker gone astray meets."""


class Attempt(Protocol):
    """Runs a case on the find's target.

    A rehearsal judges grids and runs no legal launch; a fresh attempt runs in a process that has run nothing.
    """

    def __call__(self, case: Case, *, rehearse: bool = False, fresh: bool = False) -> Verdict:
        """The verdict."""


class Shrunk(NamedTuple):
    """The smallest case that was reached, the runs that it took, and whether the end was reached.

    ``late`` tells that time ended it, so that a faster machine reaches another case; runs that are used up, and cases
    that no profile draws, end it unfinished on every machine.
    """

    case: Case
    runs: int
    finished: bool
    late: bool


class OutOfBudget(KeyboardInterrupt):
    """Time or runs are used up.

    A KeyboardInterrupt, because that is what Hypothesis lets pass.
    """


class Trial:
    """Runs candidates, remembers answers, and keeps the smallest case that still shows the find.

    Args:
        case: the find.
        bucket: where it belongs.
        attempt: runs a case on the find's target.
        seconds: time for all of it.
        most_runs: most candidates that may be run.
        on_other: told of a finding of another bucket that a candidate showed.

    Attributes:
        best: the smallest case so far.
        runs: candidates that were run.
        descent: the best cases so far, from the find on.
        late: whether time ended it: its own, or that of whoever runs its cases.
    """

    def __init__(
        self,
        case: Case,
        bucket: Bucket,
        attempt: Callable[[Case], Verdict],
        seconds: float,
        most_runs: int,
        on_other: Callable[[Case, Verdict], None],
    ) -> None:
        self.best = case
        self.descent = [case]
        self.runs = 0
        self.late = False
        self._bucket = bucket
        self._attempt = attempt
        self._until = time.monotonic() + seconds
        self._most_runs = most_runs
        self._on_other = on_other
        self._answers: dict[tuple[object, ...], bool] = {}

    def holds(self, case: Case) -> bool:
        """Whether a case is legal and shows the find.

        Raises:
            OutOfBudget: when nothing more may be run.
        """
        key = _bare(case)
        if key not in self._answers:
            self._answers[key] = broken_rule(case) is None and self._run(case)
        return self._answers[key]

    def improves(self, case: Case) -> bool:
        """Whether a case is smaller than the best and shows the find; it is the best then."""
        return order(case) < order(self.best) and self.holds(case)

    def _run(self, case: Case) -> bool:
        if self.runs >= self._most_runs:
            raise OutOfBudget
        try:
            shows = self._asked(case)
        except OutOfBudget:
            self.late = True
            raise
        if not shows:
            return False
        if order(case) < order(self.best):
            self.best = case
            self.descent.append(case)
        return True

    def _asked(self, case: Case) -> bool:
        if time.monotonic() > self._until:
            raise OutOfBudget
        self.runs += 1
        verdict = self._attempt(case)
        if verdict.shows(self._bucket):
            return True
        if verdict.outcome == "finding":
            self._on_other(case, verdict)
        return False


def confirmed(
    on_other: Callable[[Case, Verdict], None], again: Callable[[Case], Verdict]
) -> Callable[[Case, Verdict], None]:
    """Tells of a finding of another bucket, each once, after it was run again and shows whatever it shows then."""
    seen: set[tuple[str, str]] = set()

    def tell(other: Case, shown: Verdict) -> None:
        if (shown.kind, shown.detail) in seen:
            return
        seen.add((shown.kind, shown.detail))
        verdict = again(other)
        if verdict.outcome == "finding":
            on_other(other, verdict)

    return tell


def _bare(case: Case) -> tuple[object, ...]:
    if case.sequence:
        return tuple(map(_bare, case.sequence))
    cache = (case.segments, case.layers, case.pools, case.num_blocks)
    return (case.domain, case.guard, cache, case.calls, case.blocks_known, case.cold)
