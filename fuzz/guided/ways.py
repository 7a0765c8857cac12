"""Which way a case is drawn: by its number, so that time and workers have no part in it."""

from __future__ import annotations

from fuzz.guided.mutant import Mutant
from fuzz.guided.pool import Pool
from fuzz.guided.swarm import STRETCH, Swarm
from fuzz.source import Recorder, Source

PLAIN, SWARM, MUTANT = "plain", "swarm", "mutant"

WAYS = (*(PLAIN, SWARM) * 7, MUTANT)
"""Ways that take turns within a profile, in the shares that measurements gave them (docs/architecture.md). Fifteen, so
that each way has its part of the warm cases, which are one in sixteen."""


def source(seed: int, index: int, turn: int, kept: Pool, profile: str) -> Source:
    """What draws case ``index``, its profile's case ``turn``; a mutant's turn is a plain one where nothing is kept."""
    recorder = Recorder((seed << 40) + index)
    way = WAYS[turn % len(WAYS)]
    if way == SWARM:
        return Swarm(recorder, (seed << 40) + index // STRETCH)
    rows = kept.of(profile) if way == MUTANT else ()
    if not rows:
        return recorder
    first, second = (rows[int(recorder.random() * len(rows))] for _ in range(2))
    return Mutant(recorder, first, second)
