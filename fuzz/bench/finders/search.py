"""What a finder is given, and what it gives back."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from fuzz.bench.subjects import Passes, Subject
from fuzz.bench.weights import weighed
from fuzz.case import Case
from fuzz.supervisor import Crew

CASES = 1000
"""Cases after which a search is given up; the run is then censored there."""


@dataclass(frozen=True)
class Stand:
    """A subject, loaded.

    Attributes:
        subject: what it is.
        crew: runs it.
        unit: bytes that its sizes are multiples of.
        passes: judges its original.
    """

    subject: Subject
    crew: Crew
    unit: int
    passes: Passes


@dataclass(frozen=True)
class First:
    """How a search ended.

    Attributes:
        cases: cases up to the first find, or all that were run.
        seconds: how long that took.
        label: the find's kind and detail; empty if there was none.
        reached: whether a case reached the faulty code; None where nothing tells.
        triggered: whether a case had to go wrong; None where nothing tells.
    """

    cases: int
    seconds: float
    label: str = ""
    reached: bool | None = None
    triggered: bool | None = None


class Finder(Protocol):
    """Looks for a fault."""

    def __call__(self, stand: Stand, seed: int, most: int) -> First:
        """The first find among ``most`` cases that ``seed`` decides."""


def one_by_one(stand: Stand, cases: Iterable[Case]) -> First:
    """Run cases until one is a find."""
    begun = time.perf_counter()
    seen: list[Case] = []
    label = ""
    for case in cases:
        seen.append(case)
        verdict = weighed(stand.crew, case, stand.subject.target)
        if stand.subject.counts(case, verdict, stand.passes):
            label = verdict.label()
            break
    return first(stand, seen, len(seen), time.perf_counter() - begun, label)


def first(stand: Stand, seen: Iterable[Case], cases: int, seconds: float, label: str) -> First:
    """How a search over so many cases ended."""
    specimen = stand.subject.specimen
    if specimen is None:
        return First(cases, seconds, label)
    reached = triggered = False
    for case in seen:
        reached = reached or specimen.reached(case)
        triggered = triggered or specimen.triggered(case)
        if reached and triggered:
            break
    return First(cases, seconds, label, reached, triggered)
