"""Which devices take the target's grids, and how many ids each of them takes: information, for no device is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from fuzz import messages
from fuzz.case import SCHEMA, Call, Case, Segment
from fuzz.errors import KvzeroError
from fuzz.gate.ground import Ground
from fuzz.gate.results import Check
from fuzz.grids import Grid
from fuzz.ids import Ids
from fuzz.profiles.parts import guarded
from fuzz.waiting import Abandoned
from kvzero.segments import Limits
from oracles.launches import PROFILES, Ruling, judge

SEGMENTS, PAGE = 64, 2**16
"""The cache that ids are counted on: a round one, some sixty layers of pages of 64 KiB."""

MOST_IDS = 2**17
"""More than an engine frees at once; to count on takes seconds, for a list of ids is made for each step."""

PART = 0.5
"""Of the time left, the most that counting takes."""


class Margin(NamedTuple):
    """Most ids that a device takes of those tried, and what it says to more; None if it took all."""

    ids: int
    ruling: Ruling | None


class Portability:
    """Judges the largest grids of the cases drawn under each device's launch rules, and counts ids by rehearsal."""

    name = "portability"

    def __call__(self, ground: Ground) -> Check:
        """Nothing of it blocks: under the gate's own limits what is refused is a find, and others are not asked."""
        if ground.takes != "table":
            return Check(self.name, "left out", f"the target takes a {ground.takes}; ids are counted on a table")
        drawn = [f"drawn {_grid(grid)}{_refused(grid)}" for grid in dict.fromkeys(ground.grids.values())]
        limits = ground.opened.limits[ground.target]
        segments = min(SEGMENTS, limits.segments or SEGMENTS)
        page = widest(limits)
        until = ground.share(PART)

        def tried(ids: int) -> messages.Tried | None:
            if ground.control.elapsed > until:
                return None
            try:
                return ground.hands.rehearsed(cache(segments, page, ids), ground.target)
            except (KvzeroError, Abandoned):
                return None

        def grids(ids: int) -> tuple[Grid, ...] | None:
            told = tried(ids)
            return told.grids if told else None

        most = min(MOST_IDS, limits.ids or MOST_IDS)
        counted = _uncounted(tried(1)) or "; ".join(
            f"{profile} {_margin(margin(grids, profile, most))}" for profile in PROFILES
        )
        words = f"{segments} segments of {page} bytes: {counted}"
        return Check(self.name, "information", "; ".join([words, *drawn]))


def widest(limits: Limits) -> int:
    """The page to count on, in bytes: as wide as a target takes, a whole number of its units."""
    page = min(PAGE, limits.page or PAGE)
    return max(page - page % limits.unit, limits.unit)


def cache(segments: int, page: int, ids: int) -> Case:
    """A case of equal segments of one block, cleared so many times in one call."""
    one = Segment(0, 1, page, page, times=segments)
    return guarded(
        Case(schema=SCHEMA, domain="contract", guard=0, segments=(one,), calls=(Call("zero", Ids.of([0] * ids)),))
    )


def margin(grids: Callable[[int], tuple[Grid, ...] | None], profile: str, most: int) -> Margin | None:
    """How many ids a device takes, by doubling and halving; None if counting ends first.

    Args:
        grids: what is launched for so many ids; None if time is up, or no worker tells.
        profile: whose launch rules hold.
        most: most ids to try.
    """
    low, high, first = 0, 1, None
    while True:
        launched = grids(min(high, most))
        if launched is None:
            return None
        first = _first(launched, profile)
        if first:
            break
        low = min(high, most)
        if low == most:
            return Margin(most, None)
        high *= 2
    high = min(high, most)
    while high - low > 1:
        middle = (low + high) // 2
        launched = grids(middle)
        if launched is None:
            return None
        ruling = _first(launched, profile)
        low, high, first = (low, middle, ruling) if ruling else (middle, high, first)
    return Margin(low, first)


def _uncounted(first: messages.Tried | None) -> str:
    """Why a target's ids cannot be counted, from what it made of one; empty if they can be."""
    if first is None or first.grids:
        return ""
    if first.verdict.outcome == "declined":
        return f"declined: {first.verdict.text}"
    if first.verdict.outcome == "finding":
        return f"a call of one id shows {first.verdict.label()}"
    return "nothing was launched through Triton"


def _first(launched: tuple[Grid, ...], profile: str) -> Ruling | None:
    rulings = (judge(grid[:3], grid[3], profile) for grid in launched)
    return next((ruling for ruling in rulings if ruling.outcome != "runs"), None)


def _grid(grid: Grid) -> str:
    return f"({', '.join(map(str, grid[:3]))})"


def _refused(grid: Grid) -> str:
    refusing = [profile for profile in PROFILES if _first((grid,), profile)]
    return f", not on {', '.join(refusing)}" if refusing else ""


def _margin(found: Margin | None) -> str:
    if found is None:
        return "was not counted to the end"
    if found.ruling is None:
        return f"takes {found.ids} ids and more"
    return f"takes {found.ids} ids, then {found.ruling.outcome}:{found.ruling.detail}"
