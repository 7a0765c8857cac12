"""What a run searches, and for how long: everything that decides it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fuzz import messages
from fuzz.cross_check import OTHER


@dataclass(frozen=True)
class Plan:
    """What to search.

    Attributes:
        targets: locators.
        profiles: shapes of cases, taken by turns; none for the usual ones of what the targets take.
        seed: decides every case.
        corpus: where finds go.
        engine: engine by name, or None for the best there is.
        device_profile: launch limits by name, or None for the engine's own.
        use_known: whether finds that a corpus file explains are counted apart.
        cross_check: each case whose number is a multiple of this runs on a second engine, too; 0 for none.
        seconds: time for the whole run, or None without a limit.
        cases: cases for each target, or None without a limit.
        stop_on_find: whether the first find ends the search.
        workers: how many search at once, or None for as many as the machine bears.
        unit: bytes that all sizes are multiples of, or None for the smallest unit of the targets.
    """

    targets: tuple[str, ...]
    profiles: tuple[str, ...]
    seed: int
    corpus: Path
    engine: str | None = None
    device_profile: str | None = None
    use_known: bool = True
    cross_check: int = 0
    seconds: float | None = None
    cases: int | None = None
    stop_on_find: bool = False
    workers: int | None = None
    unit: int | None = None

    @property
    def attempts(self) -> int | None:
        """Cases times targets, or None without an end."""
        return None if self.cases is None else self.cases * len(self.targets)

    @property
    def hostile(self) -> bool:
        """Whether accepted hostile input fails the run."""
        return "hostile" in self.profiles

    def opening(self, *targets: str) -> messages.Open:
        """What a worker is told first; other targets may stand in for the plan's."""
        return messages.Open(targets or self.targets, self.engine, self.device_profile, "")

    def second_opening(self, opened: messages.Opened) -> messages.Open:
        """The same for the engine that checks the one that was opened."""
        return messages.Open(self.targets, OTHER[opened.engine], opened.device_profile, "")
