"""The search as a user runs it: its source, its batches, its patience."""

from __future__ import annotations

import time
from collections.abc import Iterator

from fuzz import messages
from fuzz.bench.finders.search import First, Stand, first
from fuzz.build import numbered
from fuzz.case import Case
from fuzz.guided.guide import Guide
from fuzz.guided.pool import Pool, decode

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
    guide = Guide(seed, subject.profiles, stand.unit)
    batches: list[messages.Batch] = []
    while hit is None and following < most:
        found.clear()
        epoch = guide.at(following)
        stop = min(following + size, epoch.stop, most)
        request = messages.Batch(seed, subject.profiles, stand.unit, following, stop, NO_LIMIT, pool=epoch.pool)
        batches.append(request)
        following = stand.crew.batch(request, found.append).following
        found.sort(key=lambda one: one.attempt)
        hit = next((one for one in found if subject.counts(one.case, one.verdict, stand.passes)), None)
        size = min(2 * size, MOST_AT_ONCE)
    seconds = time.perf_counter() - begun
    cases = hit.attempt + 1 if hit else following
    return first(stand, list(_drawn(batches, cases)), seconds, hit.verdict.label() if hit else "")


def _drawn(batches: list[messages.Batch], cases: int) -> Iterator[Case]:
    """The first cases of all batches."""
    for one in batches:
        pool = Pool(decode(one.pool or b""))
        for index in range(one.first, min(one.stop, cases)):
            yield numbered(one.seed, index, one.profiles, one.unit, pool)[0]
