"""A search in batches, as a run makes them: the first of their finds that counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from fuzz import messages
from fuzz.bench.finders.search import First, Stand, first
from fuzz.build import numbered
from fuzz.case import Case
from fuzz.guided.pool import Pool, decode

NO_LIMIT = 3600.0

Request = Callable[[int, int], messages.Batch]
"""The batch from one attempt to before another, or to before an earlier one."""


def in_batches(stand: Stand, most: int, at_once: int, request: Request) -> First:
    """Batches of attempts, twice as many each time up to ``at_once``, until one of them is a find."""
    begun = time.perf_counter()
    following, size = 0, 1
    found: list[messages.Found] = []
    hit: messages.Found | None = None
    batches: list[messages.Batch] = []
    while hit is None and following < most:
        found.clear()
        batches.append(request(following, min(following + size, most)))
        following = stand.crew.batch(batches[-1], found.append).following
        found.sort(key=lambda one: one.attempt)
        hit = next((one for one in found if stand.subject.counts(one.case, one.verdict, stand.passes)), None)
        size = min(2 * size, at_once)
    seconds = time.perf_counter() - begun
    cases = hit.attempt + 1 if hit else following
    return first(stand, _drawn(batches, cases), cases, seconds, hit.verdict.label() if hit else "")


def _drawn(batches: list[messages.Batch], cases: int) -> Iterator[Case]:
    """The first cases of all batches."""
    for one in batches:
        pool = Pool(decode(one.pool or b""))
        for index in range(one.first, min(one.stop, cases)):
            yield numbered(one.seed, index, one.profiles, one.unit, pool)[0]
