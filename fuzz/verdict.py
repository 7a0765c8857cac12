"""What came of one case on one target, and the bucket that a find belongs to."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import msgspec

Outcome = Literal["passed", "declined", "unproved", "finding", "infra"]

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

RIGHT = ("passed", "declined")
"""Outcomes that say nothing against a target."""

KINDS = (
    "faulted",
    "hung",
    "rejected",
    "skipped",
    "accepted",
    "recompiled",
    "misordered",
    "clobbered",
    "wrong",
    "stale",
    "unstable",
)


LONGEST = 2000
"""Characters of a target's message that a report repeats."""


class Bucket(NamedTuple):
    """Finds of one bucket are one find: target, device profile, kind and detail, nothing else."""

    target: str
    device_profile: str
    kind: str
    detail: str

    def __str__(self) -> str:
        return f"{self.key} {self.label}"

    @property
    def key(self) -> str:
        """The key of a case file's ``finds``."""
        return f"{self.target}@{self.device_profile}"

    @property
    def label(self) -> str:
        """The value of a case file's ``finds``."""
        return f"{self.kind}:{self.detail}" if self.detail else self.kind

    def unstable(self, shown: int, times: int) -> tuple[Bucket, Verdict]:
        """What a find becomes that ``shown`` of ``times`` replays show: its bucket and its verdict."""
        words = f"{self.label} in {shown} of {times} replays"
        return self._replace(kind="unstable", detail=""), Verdict("finding", "unstable", text=words)


class Wrong(msgspec.Struct, frozen=True):
    """A wrong region: bytes ``start`` to ``stop`` from the arena's offset 0, and whose they are."""

    start: int
    stop: int
    kind: str
    where: str


class Verdict(msgspec.Struct, frozen=True):
    """The outcome of a case on a target.

    ``kind`` and ``detail`` are set for findings. ``text`` says why in words; ``regions`` holds the
    first wrong regions by address and ``wrong_bytes`` counts them all; ``launches`` are the grids
    that were recorded; ``lost`` tells that the device is lost to the process that ran it. ``member``
    is the index of the case of a sequence that shows it, if the verdict is on one and that is known.
    """

    outcome: Outcome
    kind: str = ""
    detail: str = ""
    text: str = ""
    regions: tuple[Wrong, ...] = ()
    wrong_bytes: int = 0
    launches: tuple[str, ...] = ()
    lost: bool = False
    member: int | None = None

    def bucket(self, target: str, device_profile: str) -> Bucket:
        """The bucket of a finding."""
        return Bucket(target, device_profile, self.kind, self.detail)

    def shows(self, bucket: Bucket) -> bool:
        """Whether this is a finding of that bucket, on the bucket's target and device."""
        return self.outcome == "finding" and self.bucket(*bucket[:2]) == bucket

    def label(self) -> str:
        """``kind:detail`` of a finding, the outcome of anything else."""
        return self.bucket("", "").label if self.outcome == "finding" else self.outcome


def in_words(error: BaseException | None) -> str:
    """An exception as a report names it: one that cannot be written, or is very long, too."""
    try:
        text = str(error).encode(errors="backslashreplace").decode()
    except Exception:
        text = "(its text cannot be read)"
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]} … {len(text)} characters"
    return f"{type(error).__name__}: {text}"
