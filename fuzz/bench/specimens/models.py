"""What faulty code does to a table's cache, as intervals of bytes and as grids; no kernel runs here.

A model is written from the fault's description, not from its kernel: the two are held against each other.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fuzz.case import Call, Case, Segment
from fuzz.ids import Ids
from fuzz.layout import segments_of
from fuzz.profiles.parts import guarded
from oracles import launches, pages
from oracles.pages import Segments

Offsets = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From ids ``[n, 1]`` and strides ``[segments]`` to bytes between a segment's base and a block's page."""

Clears = Callable[[Segments, Call], np.ndarray]
"""The bytes that a call clears, int64 ``[m, 2]``, by start."""

Grid = tuple[int, ...]

ELEMENT = 4
CHUNK = 1024
WARPS = 4


def table_case(*segments: Segment, ids: str = "0", calls: tuple[str, ...] = ()) -> Case:
    """A contract case of these segments, as a profile would guard it."""
    made = tuple(Call("zero", Ids.parse(text)) for text in (calls or (ids,)))
    return guarded(Case(schema=1, domain="contract", guard=0, segments=segments, calls=made))


def clears_wrongly(case: Case, clears: Clears) -> bool:
    """Whether any call clears other bytes than it must."""
    segments = segments_of(case)
    for call in case.calls:
        if call.ids:
            must = pages.effects(segments, call.ids.distinct()).must
            if not np.array_equal(must, clears(segments, call)):
                return True
    return False


def with_columns(segments: Segments, call: Call, *, stride: np.ndarray, page: np.ndarray) -> np.ndarray:
    """What a right kernel clears if it is given other strides and pages."""
    given = segments._replace(stride=stride, page=page)
    return pages.effects(given, call.ids.distinct()).must


def at_offsets(offsets: Offsets) -> Clears:
    """A kernel that is right but for where it thinks a block begins."""

    def clears(segments: Segments, call: Call) -> np.ndarray:
        starts = segments.base + offsets(call.ids.distinct()[:, None], segments.stride)
        pairs = np.stack([starts, starts + segments.page], axis=-1).reshape(-1, 2)
        return pages.merged(pairs[np.argsort(pairs[:, 0], kind="stable")])

    return clears


def wrapped(values: np.ndarray) -> np.ndarray:
    """Integers as 32 bits with a sign hold them."""
    found: np.ndarray = (values + 2**31) % 2**32 - 2**31
    return found


def count(case: Case) -> int:
    """Segments of the table, equal ones counted each."""
    return sum(segment.times for segment in case.segments)


def widest(case: Case) -> int:
    """Elements of the widest page."""
    return max(segment.page for segment in case.segments) // ELEMENT


def wide_chunks(case: Case) -> int:
    """Chunks of the widest page, of up to 1,024 elements and with a mask."""
    return -(-widest(case) // CHUNK)


def flat(case: Case, call: Call, column: str = "page") -> Grid:
    """One axis for all: ids, segments and chunks that divide every page, or every stride, without a rest."""
    spans = [getattr(segment, column) // ELEMENT for segment in case.segments]
    chunk = min(*(span & -span for span in spans), CHUNK)
    return (len(call.ids) * count(case) * (max(spans) // chunk),)


def refused(case: Case, grid_of: Callable[[Case, Call], Grid], profile: str, warps: int = WARPS) -> bool:
    """Whether a call's launch is refused, or silently not run."""
    grids = (grid_of(case, call) for call in case.calls if call.ids)
    return any(launches.judge(grid, warps, profile).outcome != "runs" for grid in grids)
