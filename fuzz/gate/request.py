"""What a gate is asked, and how many cases that means."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from fuzz import messages, version

SECONDS = {"change": 60.0, "batch": 600.0}
"""Modes, and the time that each has: a reviewer waits a minute, a nightly job ten."""

MODES = tuple(SECONDS)

LOADING = 9.0
"""Seconds until a gate's first cases, which find nothing compiled, have run; an H200's idle host takes half as long."""

TIMING = 3.0
"""Seconds that it takes to time target and base on a GPU before any case, where a limit on cost is named."""

LEAST = 0.02
"""Of a mode's cases, what is asked where there is hardly time for loading."""


class Sizes(NamedTuple):
    """Cases of the exhaustive profile, of the seeded search, and of overlapping calls on a GPU."""

    exhaustive: int
    search: int
    order: int = 0


SIZES: Mapping[tuple[str, str], Sizes] = {
    ("change", "simulator"): Sizes(4_000, 600),
    ("batch", "simulator"): Sizes(40_000, 6_000),
    ("change", "interpreter"): Sizes(100, 60),
    ("batch", "interpreter"): Sizes(1_200, 800),
    ("change", "cuda"): Sizes(30_000, 10_000, 300),
    ("batch", "cuda"): Sizes(1_000_000, 150_000, 5_000),
}
"""Sizes by mode and engine. They are fixed, so that a yes means the same tomorrow; the time is only a ceiling, and
they leave half of it on two cores. Who asks for less time than the mode has is asked as much less."""


A_LANE: Mapping[str, int] = {"simulator": 500, "interpreter": 40, "cuda": 12_000}
"""Cases that one worker runs in about the time in which another one loads."""


@dataclass(frozen=True)
class Request:
    """A gate to be held.

    Attributes:
        target: locator of the new kernel.
        base: locator of what it replaces, or None: then every find is new.
        corpus: folder of cases that must pass.
        finds: folder that new finds go to.
        mode: ``change`` or ``batch``.
        seconds: ceiling for all of it.
        seed: a fresh seed that is searched as well and never blocks, or None.
        strict: whether hostile input that is taken blocks.
        corpus_only: whether nothing but the corpus is run.
        sanitize: whether the corpus is run below compute-sanitizer as well.
        waivers: file of waivers, or None.
        cost_limit: per cent that the target may cost more than the base on a GPU, or None.
        receipt: file that the record of a gate on a GPU goes to, or None.
        check_receipt: file of such a record, which must be of the same content, or None.
        engine: engine by name, or None for the best there is.
        device_profile: launch limits by name, or None for the engine's own.
        sizes: cases by mode and engine.
    """

    target: str
    base: str | None
    corpus: Path
    finds: Path
    mode: str = "change"
    seconds: float | None = None
    seed: int | None = None
    strict: bool = False
    corpus_only: bool = False
    sanitize: bool = False
    waivers: Path | None = None
    cost_limit: float | None = None
    receipt: Path | None = None
    check_receipt: Path | None = None
    engine: str | None = None
    device_profile: str | None = None
    sizes: Mapping[tuple[str, str], Sizes] = field(default_factory=lambda: SIZES)

    @property
    def ceiling(self) -> float:
        """Seconds for all of it."""
        return SECONDS[self.mode] if self.seconds is None else self.seconds

    def part(self, engine: str) -> float:
        """Of the mode's cases, as much as is asked of its time; more time is no more cases, but for slower machines."""
        before = LOADING + (TIMING if engine == "cuda" and self.cost_limit is not None else 0.0)
        return min(1.0, max(LEAST, (self.ceiling - before) / (SECONDS[self.mode] - before)))

    def sizes_on(self, engine: str) -> Sizes:
        """How many cases there are on an engine: the command line decides it, whatever time they take."""
        part = self.part(engine)
        return Sizes(*(math.ceil(size * part) for size in self.sizes.get((self.mode, engine), Sizes(0, 0))))

    def lanes_on(self, engine: str) -> int:
        """Workers that are worth their loading, however many the machine bears."""
        sizes = self.sizes_on(engine)
        return max(1, (sizes.exhaustive + sizes.search) // A_LANE.get(engine, 1))

    def opening(self, target: str) -> messages.Open:
        """What a worker of one of the two is told first."""
        return messages.Open((target,), self.engine, self.device_profile, "")


def seed_of(target: str, base: str) -> int:
    """The seed of a gate: what the two targets are made of and the tool's version decide it, and nothing else."""
    digest = hashlib.sha256(f"{version()}\0{target}\0{base}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 34
