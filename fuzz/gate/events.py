"""What a gate tells the world, as typed values in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fuzz.gate.results import Check, Decided, GateReport


@dataclass(frozen=True)
class Began:
    """Both targets are loaded; the report is still empty."""

    report: GateReport


@dataclass(frozen=True)
class FileTried:
    """A corpus file was run: what it shows, its outcome, and what that means if it is a finding."""

    path: Path
    label: str
    outcome: str
    seconds: float
    text: str
    decided: Decided | None = None


@dataclass(frozen=True)
class FindDecided:
    """A find of a search was shrunk, held against the base, and decided."""

    decided: Decided


@dataclass(frozen=True)
class CheckEnded:
    """A check ended."""

    check: Check


@dataclass(frozen=True)
class Warned:
    """Something that the user should know."""

    text: str


@dataclass(frozen=True)
class Over:
    """The gate is over."""

    report: GateReport


Event = Began | FileTried | FindDecided | CheckEnded | Warned | Over

Subscriber = Callable[[Event], None]
