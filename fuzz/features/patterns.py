"""What is said of a list of ids, from its runs and without writing it out."""

from __future__ import annotations

from collections.abc import Iterator
from operator import ge, le

from fuzz.features.sizes import Feature
from fuzz.ids import Ids, Run


def of_ids(ids: Ids, blocks: int) -> Iterator[Feature]:
    """How many there are, and what is said of the list; several patterns may hold."""
    runs = ids.runs
    count = len(ids)
    yield "ids", count.bit_length()
    if not runs:
        yield "pattern", "empty"
        return
    low, high, distinct = _spread(ids)
    if distinct < count:
        yield "pattern", "repeats"
    if count == 1:
        yield "pattern", "single"
    elif distinct > 1:
        yield "pattern", _direction(runs)
        if distinct == high - low + 1:
            yield "pattern", "dense"
    if low == 0:
        yield "pattern", "first"
    if high == blocks - 1:
        yield "pattern", "last"
    if low < 0 or high >= blocks:
        yield "pattern", "outside"


def _spread(ids: Ids) -> tuple[int, int, int]:
    """The smallest id, the largest, and how many different ones there are."""
    stretches = sorted(ids.stretches())
    low, reached = stretches[0]
    distinct = reached - low + 1
    for start, stop in stretches[1:]:
        if stop > reached:
            distinct += stop - max(start - 1, reached)
            reached = stop
    return low, reached, distinct


def _direction(runs: tuple[Run, ...]) -> str:
    """Whether each id is at least, or at most, the one before it."""
    ends = [end for run in runs for end in run[:2]]
    if all(map(le, ends, ends[1:])):
        return "ascending"
    return "descending" if all(map(ge, ends, ends[1:])) else "random"
