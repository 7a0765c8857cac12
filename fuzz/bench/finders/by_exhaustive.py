"""Every case up to a bound, in the order in which a run counts through them; the same ones for each subject."""

from __future__ import annotations

from fuzz import messages
from fuzz.bench.finders.in_batches import NO_LIMIT, in_batches
from fuzz.bench.finders.search import First, Stand
from fuzz.profiles import exhaustive

AT_ONCE = 1024

MOST_OF_A_MUTANT = 10_000
"""Some mutants take milliseconds a case; these cases are spread over the whole."""

UNIT = 4
"""Sizes are multiples of it also for targets granular to the byte, whose own enumeration has four times the cases."""


def find(stand: Stand, seed: int, most: int) -> First:  # noqa: ARG001 - nothing is drawn, and the profile ends by itself
    """All of the profile, or for a mutant a part; it has no layouts, so what takes one is not found."""
    unit = max(stand.unit, UNIT)
    size = exhaustive.size(unit) if stand.subject.takes == "table" else 0
    if stand.subject.kind == "mutant":
        size = min(size, MOST_OF_A_MUTANT)

    def request(start: int, stop: int) -> messages.Batch:
        return messages.Batch(0, ("exhaustive",), unit, start, stop, NO_LIMIT)

    return in_batches(stand, size, AT_ONCE, request)
