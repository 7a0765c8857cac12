"""Every case up to a bound, in the order in which a run counts through them."""

from __future__ import annotations

from fuzz import messages
from fuzz.bench.finders.in_batches import NO_LIMIT, in_batches
from fuzz.bench.finders.search import First, Stand
from fuzz.profiles import exhaustive

AT_ONCE = 1024


def find(stand: Stand, seed: int, most: int) -> First:  # noqa: ARG001 - nothing is drawn, and the profile ends by itself
    """All of the profile; it has no layouts, so what takes one is not found."""
    size = exhaustive.size(stand.unit) if stand.subject.takes == "table" else 0

    def request(start: int, stop: int) -> messages.Batch:
        return messages.Batch(0, ("exhaustive",), stand.unit, start, stop, NO_LIMIT)

    return in_batches(stand, size, AT_ONCE, request)
