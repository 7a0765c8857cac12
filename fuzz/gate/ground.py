"""What checks work with: the target's workers, the base, the time that is left, and somebody to tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from fuzz import hands, messages
from fuzz.case import Case
from fuzz.corpus import Entry
from fuzz.gate.base import Base
from fuzz.gate.ceiling import Ceiling
from fuzz.gate.events import Subscriber
from fuzz.gate.request import Request, Sizes
from fuzz.gate.results import Check
from fuzz.gate.waivers import Waiver
from fuzz.grids import Grid
from fuzz.verdict import Bucket, Verdict


class Found(Protocol):
    """Told of each find of a stretch."""

    def __call__(self, found: messages.Found, /) -> None:
        """Note it."""


@dataclass(frozen=True)
class Stretch:
    """What came of a stretch of cases: how many were run, their outcomes, trouble in words, the largest grids."""

    done: int
    counts: dict[str, int]
    trouble: str = ""
    grids: dict[str, Grid] = field(default_factory=dict)


class Hands(hands.Hands, Protocol):
    """Whoever runs the target: one case, or the first cases of a seed."""

    def rehearsed(self, case: Case, target: str) -> messages.Tried:
        """What a target does of a case where none of its legal launches is run."""

    def stretch(self, request: messages.Batch, until: Callable[[], float], on_found: Found) -> Stretch:
        """Run all attempts of a request, or as many as there is time for; its own time is not looked at.

        Args:
            request: a batch from its first attempt to its stop.
            until: asked for the second of the gate's clock at which to give up; finds may change it.
            on_found: told of each find.
        """


@dataclass
class Ground:
    """All that a check may use.

    Attributes:
        request: what is asked.
        opened: what the target's worker told.
        hands: run the target.
        base: runs the base, if there is one.
        control: the gate's clock, and whether a signal came.
        tell: told of each step.
        seed: of the search.
        sizes: cases.
        files: the corpus.
        waivers: by label.
        new: buckets that are known to be new by an earlier check.
        grids: the largest of the cases drawn so far, by axis.
    """

    request: Request
    opened: messages.Opened
    hands: Hands
    base: Base
    control: Ceiling
    tell: Subscriber
    seed: int
    sizes: Sizes
    files: Sequence[Entry] = ()
    waivers: dict[str, Waiver] = field(default_factory=dict)
    new: set[Bucket] = field(default_factory=set)
    grids: dict[str, Grid] = field(default_factory=dict)

    @property
    def target(self) -> str:
        """The target's locator."""
        return self.request.target

    @property
    def takes(self) -> str:
        """Whether the target takes a table or a layout."""
        return self.opened.takes[self.target]

    @property
    def unit(self) -> int:
        """The target's unit in bytes."""
        return self.opened.units[self.target]

    def share(self, part: float) -> float:
        """The time of the gate's clock when such a part of what is left will be over."""
        return self.control.elapsed + part * (self.control.left or 0.0)

    def bucket(self, verdict: Verdict) -> Bucket:
        """The bucket of a finding on the target."""
        return verdict.bucket(self.target, self.opened.device_profile)


class Checking(Protocol):
    """A check of the gate.

    Attributes:
        name: what its line begins with.
    """

    name: str

    def __call__(self, ground: Ground) -> Check:
        """Hold it; its seconds are filled in by the caller."""
