"""The search as a user runs it: its source, its batches, its patience."""

from __future__ import annotations

import time

from fuzz import messages
from fuzz.bench.finders.search import First, Stand, first
from fuzz.build import numbered

MOST_AT_ONCE = 32
"""Attempts between two looks at what was found; the first looks come sooner, for most faults are found at once."""

NO_LIMIT = 3600.0


def find(stand: Stand, seed: int, most: int) -> First:
    """Batches of attempts, twice as many each time, until one of them is a find."""
    subject = stand.subject
    begun = time.perf_counter()
    following, size = 0, 1
    found: list[messages.Found] = []
    hit: messages.Found | None = None
    while hit is None and following < most:
        found.clear()
        request = messages.Batch(seed, subject.profiles, stand.unit, following, min(following + size, most), NO_LIMIT)
        following = stand.crew.batch(request, found.append).following
        found.sort(key=lambda one: one.attempt)
        hit = next((one for one in found if subject.counts(one.case, one.verdict, stand.passes)), None)
        size = min(2 * size, MOST_AT_ONCE)
    seconds = time.perf_counter() - begun
    cases = hit.attempt + 1 if hit else following
    drawn = [numbered(seed, index, subject.profiles, stand.unit)[0] for index in range(cases)]
    return first(stand, drawn, seconds, hit.verdict.label() if hit else "")
