"""What a run tells the world, as typed values, and the report that it ends with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from fuzz.case import Case
from fuzz.verdict import OUTCOMES, Bucket, Verdict

BATCH_ONLY = "batch-only"
"""The label of a find that a sequence of cases shows, and none of them alone."""


@dataclass(eq=False)
class Find:
    """All that is known of one bucket.

    Attributes:
        bucket: the bucket.
        case: its smallest case.
        verdict: what that case shows.
        profile: what drew it.
        count: cases of the search that fell into the bucket; 0 if it was met only while shrinking.
        path: the file that holds the case, or None if it could not be written.
        known: whether a corpus file with a reference names the bucket.
        replays: how many of how many replays showed it, once it was replayed.
        settled: whether it was shrunk and replayed; its case stays as it is from then on.
        smallest: whether shrinking came to its end.
    """

    bucket: Bucket
    case: Case
    verdict: Verdict
    profile: str
    count: int = 0
    path: Path | None = None
    known: bool = False
    replays: tuple[int, int] | None = None
    settled: bool = False
    smallest: bool = False

    @property
    def label(self) -> str | None:
        """How far it can be trusted: what all replays show is confirmed; None if there were none."""
        if self.bucket.kind == "unstable":
            return "unstable"
        if self.case.sequence:
            return BATCH_ONLY
        return "confirmed" if self.replays and self.replays[1] else None


class OpenFind(NamedTuple):
    """A find of an earlier run, and what today's target shows on its case.

    ``state`` is still, fixed, changed, or not replayed; ``now`` the label of today's verdict, if there is one.
    """

    bucket: str
    case: str
    state: str
    now: str


class Whole(NamedTuple):
    """All that there is to run: cases, each on so many targets."""

    size: int
    targets: int


@dataclass
class Report:
    """A run in numbers; attempted is always the sum of the outcomes.

    ``compiled`` counts the variants of kernels that one worker launched, each a compile of its own;
    ``open`` are finds of earlier runs, which count nowhere;
    ``lost`` tells that these numbers are in no journal, because it could not be written;
    ``whole`` is what an enumerated profile has in all.
    """

    seed: int
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(OUTCOMES, 0))
    unproved_by_profile: dict[str, int] = field(default_factory=dict)
    finds: dict[Bucket, Find] = field(default_factory=dict)
    stop_reason: str = ""
    seconds: float = 0.0
    compiled: int = 0
    trouble: str | None = None
    open: list[OpenFind] = field(default_factory=list)
    lost: bool = False
    whole: Whole | None = None

    @property
    def distinct(self) -> list[Find]:
        """The finds, each bucket once."""
        return list(dict.fromkeys(self.finds.values()))

    @property
    def new_finds(self) -> int:
        """Finds that no corpus file explains."""
        return sum(not find.known for find in self.distinct)

    def merge(self, find: Find) -> None:
        """Book a find whose bucket changed together with another of that bucket, if there is one.

        Both keep the keys that they were met under, so that they are not shrunk again.
        """
        for other in self.distinct:
            if other is not find and other.bucket == find.bucket:
                other.count += find.count
                keys = [key for key, value in self.finds.items() if value is find]
                self.finds.update(dict.fromkeys(keys, other))

    def add(self, counts: Mapping[str, int], unproved: Mapping[str, int]) -> None:
        """Add the outcomes of a batch, and its unproved cases by profile."""
        for outcome, count in counts.items():
            self.counts[outcome] += count
        for profile, count in unproved.items():
            self.unproved_by_profile[profile] = self.unproved_by_profile.get(profile, 0) + count

    @property
    def attempted(self) -> int:
        """Cases times targets that were tried."""
        return sum(self.counts.values())

    @property
    def done(self) -> int:
        """Cases that were tried on every target."""
        return self.attempted // (self.whole.targets if self.whole else 1)


@dataclass(frozen=True)
class Started:
    """The run begins."""

    seed: int
    targets: tuple[str, ...]
    profiles: tuple[str, ...]
    engine: str
    device: str
    device_profile: str
    corpus: Path
    workers: int = 1
    whole: Whole | None = None


@dataclass(frozen=True)
class Progress:
    """So far; ``pairs`` is the percentage of pairs of features that was shown, None where nobody looked yet."""

    attempted: int
    finds: int
    rate: float
    seconds_left: float | None
    workers: int = 1
    shares: Mapping[str, float] = field(default_factory=dict)
    pairs: float | None = None


@dataclass(frozen=True)
class Saved:
    """A find was made, and is on disk unless its path is None; shrinking begins."""

    find: Find


@dataclass(frozen=True)
class Settled:
    """A find was shrunk and replayed."""

    find: Find


@dataclass(frozen=True)
class Warned:
    """Something that the user should know."""

    text: str


@dataclass(frozen=True)
class Ended:
    """The run is over."""

    report: Report


Event = Started | Progress | Saved | Settled | Warned | Ended

Subscriber = Callable[[Event], None]
