"""A worker died with several cases in flight: they are tried one by one until the guilty one is named.

If none of them ends a worker alone, they are tried together again, in turn and in one process; what ends a
worker then is a find of their sequence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Protocol

from msgspec.structs import replace

from fuzz import messages
from fuzz.case import Case
from fuzz.death import Died
from fuzz.flight import sequence_of
from fuzz.verdict import Outcome, Verdict

LONG = 3600.0
"""Seconds that the suspects of one death may take together; each has a limit of its own."""

OnFound = Callable[[messages.Found], None]


class Runs(Protocol):
    """What tries cases: a crew."""

    def batch(self, request: messages.Batch, on_found: OnFound) -> messages.BatchDone:
        """Run a stretch of attempts."""

    def attempt(self, case: Case, target: str) -> Verdict:
        """Run one case on one target."""


def named(request: messages.Batch, death: Died) -> bool:
    """Whether a death names its guilty case: the only one in flight, all before it landed; or nobody's at all."""
    if not death.running or request.alone or request.tell:
        return True
    return [one.attempt for one in death.running] == [request.first + sum(death.counts.values())]


def one_by_one(crew: Runs, request: messages.Batch, death: Died, on_found: OnFound) -> messages.BatchDone:
    """Finish a stretch of attempts up to the last case that was in flight, each case alone."""
    alone: dict[int, Outcome] = {}

    def heard(one: messages.Found) -> None:
        alone[one.attempt] = one.verdict.outcome
        if one.verdict.outcome in ("finding", "infra"):  # the others are told for their outcome alone
            on_found(one)

    counts, unproved = Counter(death.counts), Counter[str]()
    stop = max(one.attempt for one in death.running) + 1
    again = replace(request, first=request.first + sum(counts.values()), stop=stop, seconds=LONG, alone=True, tell=1)
    while again.first < stop:
        done = crew.batch(again, heard)
        counts.update(done.counts)
        unproved.update(done.unproved)
        again = replace(again, first=done.following)
    trouble = ""
    if "finding" not in alone.values():
        trouble = _together(crew, death, counts, alone, on_found)
    return messages.BatchDone(stop, dict(counts), dict(unproved), trouble=trouble)


def _together(crew: Runs, death: Died, counts: Counter[str], alone: Mapping[int, Outcome], on_found: OnFound) -> str:
    """Try the cases of each target as a sequence; in words what else ended the worker, if that shows nothing.

    A find counts in place of what its last case was alone.
    """
    for target in dict.fromkeys(one.target for one in death.running):
        last = [one for one in death.running if one.target == target][-1]
        case = sequence_of(death.running, target)
        verdict = crew.attempt(case, target)
        if verdict.outcome == "finding":
            counts.subtract([alone.get(last.attempt, "passed")])
            counts.update(["finding"])
            on_found(messages.Found(last.attempt, target, last.profile, case, verdict))
            return ""
    count = len(death.running)
    return f"{count} cases were in flight when a worker ended; neither alone nor together do they end another"
