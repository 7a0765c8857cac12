"""Launch limits: only counts matter, so a find becomes one segment and one id, many times over.

Each count is lowered in turn, segments before ids before the page, while the later ones may go up
to their bounds: so the first counts come out as small as they can be at all. Grids are judged in
rehearsal, without running a launch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from msgspec.structs import replace

from fuzz.case import Call, Case, Segment
from fuzz.ids import Ids, Run
from fuzz.profiles.launch import BLOCKS, KINDS, PAGE, TIMES
from fuzz.profiles.parts import guarded
from fuzz.shrink.trial import Trial

STEP = 4
"""Bytes that the page changes by."""

NEIGHBOURS = 16
"""How far below a bound the next case may lie; a page with an even count of chunks hides some."""

Counts = tuple[int, int, int]
"""Segments, ids, page in steps of four bytes."""

MOST: Counts = (KINDS * TIMES, BLOCKS * TIMES, PAGE // STEP)
"""What profile launch draws at the most, over all kinds of segments and all runs of ids."""


def lower(trial: Trial) -> None:
    """Lower segments, ids and page of a launch find as far as they go.

    A find that is lost as one segment and one id is left as it is.

    Raises:
        OutOfBudget: when the trial's time or runs are used up.
    """
    find = trial.best
    widest = max(segment.page for segment in find.segments) // STEP
    start = (
        sum(segment.times for segment in find.segments),
        max(len(call.ids) for call in find.calls),
        max(widest, 1),
    )

    def holds(counts: Counts) -> bool:
        return trial.holds(_plain(find, counts))

    counts = next((c for c in _choices(start, 0) if holds(c)), None)
    if counts is None:
        return
    for place in range(len(counts)):
        counts = _lowest(counts, place, holds)
    trial.improves(replace(trial.best, blocks_known=True))
    trial.improves(replace(trial.best, cold=False))


def _lowest(counts: Counts, place: int, holds: Callable[[Counts], bool]) -> Counts:
    """The counts with the one at ``place`` as low as it goes, whatever the later ones become."""

    def at(value: int) -> Counts | None:
        tried = (*counts[:place], value, *counts[place + 1 :])
        return next((c for c in _choices(tried, place + 1) if holds(c)), None)

    best = counts
    low, high = 0, 1
    while high < counts[place]:
        found = at(high)
        if found:
            best = found
            break
        low, high = high, high * 2
    while best[place] - low > 1:
        middle = (low + best[place]) // 2
        found = at(middle)
        if found:
            best = found
        else:
            low = middle
    while below := _first_below(best[place], at):
        best = below
    return best


def _first_below(value: int, at: Callable[[int], Counts | None]) -> Counts | None:
    return next(filter(None, map(at, range(value - 1, max(value - NEIGHBOURS, 0), -1))), None)


def _choices(counts: tuple[int, ...], place: int) -> Iterator[Counts]:
    """The counts with those from ``place`` on at their least, as they are, or at their most: the cheap ones first."""
    later = [dict.fromkeys((1, count, most)) for count, most in zip(counts[place:], MOST[place:], strict=True)]
    for rest in product(*later):
        segments, ids, page = (*counts[:place], *rest)
        yield segments, ids, page


def _plain(case: Case, counts: Counts) -> Case:
    segments, ids, steps = counts
    page = steps * STEP
    return guarded(
        replace(
            case,
            segments=(Segment(0, 1, page, page, segments),),
            calls=(Call("zero", Ids((Run(0, 0, ids),))),),
        )
    )
