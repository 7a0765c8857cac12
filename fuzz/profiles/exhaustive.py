"""Every case up to a bound, by number: nothing is drawn, and no seed decides anything.

A run that ends as ``exhausted`` has tried all of what follows, and ``passed`` is then a claim about all
of it. Sizes are multiples of the unit; pages, strides and shifts are those of :mod:`fuzz.profiles.edges`; a
*shape* is a page with one of its strides; each case is one call.

* One segment of four blocks: every shape, on every shift, with every list of up to three ids, in any order and with
  repeats.
* Two segments of one to four blocks, an odd number of units from the arena's start: every ordered pair of four
  shapes, in every placement, with every list of up to three ids, the number of blocks told and not told.
* Two segments of four blocks: every ordered pair of shapes of narrow pages, in every placement; blocks 2 and 0.
* Two segments of four blocks: every ordered pair of packed pages, wide ones too, in every placement, on
  every shift but 0; blocks 3 and 1.

A *placement* says where the two segments of a table lie: the second behind the first, or in front of it; both on
one base; the second from the middle of the first one's first page on, or the first from the middle of the
second one's. Of a page of one unit the middle is its end.

Left out as duplicates: strides of a page that come out equal, and the fifth placement's mirror image, two
segments on one base in the other order, which is another pair of shapes. Not tried: more segments, blocks, ids or
calls, segments of different numbers of blocks, strides shorter than a lone block's page, other sizes, arenas beyond
some kilobytes. A target's warm-up is run for one case in sixteen, as in every search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from math import gcd, prod
from typing import Any, NamedTuple

from fuzz.case import SCHEMA, Call, Case, Segment
from fuzz.ids import Ids
from fuzz.profiles import edges
from fuzz.profiles.parts import guarded

BLOCKS = 4
IDS = 3

PLACEMENTS = ("behind", "in front", "same base", "second inside first", "first inside second")

ODD = 3
"""Units before the first segment where each list of ids is tried: a shift that no other part has, so that no
case stands in two parts."""

FEW_SHAPES = ((1, 1), (5, 8), (16, 16), (17, 34))
"""Pages and strides in units: one unit, one padded, one power of two, one beyond it in twice its length."""

GOLDEN = (5**0.5 - 1) / 2
"""Multiples of it modulo 1 fill the interval most evenly, wherever one stops."""

Shape = tuple[int, int]
List = tuple[int, tuple[int, ...]]
"""Blocks, and ids of them."""


class _Part(NamedTuple):
    """A full product: every value of each axis with all values of the others, the last axis turning fastest."""

    made: Callable[..., Case]
    axes: tuple[Sequence[Any], ...]

    @property
    def size(self) -> int:
        return prod(map(len, self.axes))

    def case(self, index: int, unit: int) -> Case:
        values = []
        for axis in reversed(self.axes):
            index, digit = divmod(index, len(axis))
            values.append(axis[digit])
        return self.made(unit, *reversed(values))


@cache
def size(unit: int) -> int:
    """How many cases there are for sizes in multiples of ``unit`` bytes."""
    return sum(part.size for part in _parts(unit))


def case(index: int, unit: int) -> Case:
    """The case of that number, from 0 on; neighbours are far apart, so that a run cut short saw some of everything.

    Raises:
        IndexError: past the last one.
    """
    count, step = size(unit), _step(unit)
    if not 0 <= index < count:
        raise IndexError(f"index={index}: must be 0 to {count - 1} for unit={unit}")
    return _at(index * step % count, unit)


def _at(rest: int, unit: int) -> Case:
    for part in _parts(unit):
        if rest < part.size:
            return part.case(rest, unit)
        rest -= part.size
    raise IndexError(rest)


@cache
def _step(unit: int) -> int:
    """How far apart neighbours are: the golden section of the whole, with no divisor in common with it."""
    count = size(unit)
    return next(step for step in range(round(count * GOLDEN), 2 * count) if gcd(step, count) == 1)


@cache
def _parts(unit: int) -> tuple[_Part, ...]:
    pages = edges.pages(unit)
    shapes, narrow = edges.shapes(pages, unit), edges.shapes(edges.narrow(unit), unit)
    packed = [(page, page) for page in pages]
    few = [(page * unit, stride * unit) for page, stride in FEW_SHAPES]
    shifts = edges.shifts(unit)
    lists = [(blocks, ids) for blocks in range(1, BLOCKS + 1) for ids in _lists(blocks)]
    full = [(BLOCKS, ids) for ids in _lists(BLOCKS)]
    return (
        _Part(_alone, (shifts, shapes, full)),
        _Part(_two, ((ODD * unit,), (True, False), lists, few, few, PLACEMENTS)),
        _Part(_two, ((0,), (True,), ((BLOCKS, (2, 0)),), narrow, narrow, PLACEMENTS)),
        _Part(_two, (shifts[1:], (True,), ((BLOCKS, (3, 1)),), packed, packed, PLACEMENTS)),
    )


def _lists(blocks: int) -> list[tuple[int, ...]]:
    """Every list of up to three ids."""
    return [ids for length in range(IDS + 1) for ids in product(range(blocks), repeat=length)]


def _alone(_unit: int, shift: int, shape: Shape, ids: List) -> Case:
    return _case([_segment(shift, shape, ids)], ids)


def _two(unit: int, shift: int, told: bool, ids: List, one: Shape, two: Shape, placement: str) -> Case:  # noqa: FBT001
    first, second = _bases(unit, ids[0], one, two, placement)
    return _case([_segment(shift + first, one, ids), _segment(shift + second, two, ids)], ids, told=told)


def _bases(unit: int, blocks: int, one: Shape, two: Shape, placement: str) -> tuple[int, int]:
    """Where two segments begin; those that lie apart have a unit between them, which neither may touch."""
    if placement == "behind":
        return 0, blocks * one[1] + unit
    if placement == "in front":
        return blocks * two[1] + unit, 0
    if placement == "second inside first":
        return 0, _middle(one[0], unit)
    if placement == "first inside second":
        return _middle(two[0], unit), 0
    return 0, 0


def _middle(page: int, unit: int) -> int:
    return max(page // 2 // unit, 1) * unit


def _segment(base: int, shape: Shape, ids: List) -> Segment:
    return Segment(base, ids[0], *shape)


def _case(segments: list[Segment], ids: List, *, told: bool = True) -> Case:
    call = Call("zero", Ids.of(ids[1]))
    return guarded(
        Case(schema=SCHEMA, domain="contract", guard=0, segments=tuple(segments), calls=(call,), blocks_known=told)
    )
