"""Where a case's bytes lie in its image: a guard zone, the segments, a guard zone."""

from __future__ import annotations

import numpy as np

from fuzz.case import ALIGNMENT, Case
from fuzz.layers import ITEM
from oracles import layouts, pages, regions


def lead(case: Case) -> int:
    """Bytes of the front guard zone, rounded up so that offset 0 is aligned."""
    return -(-case.guard // ALIGNMENT) * ALIGNMENT


def total(case: Case) -> int:
    """Bytes of the image, guard zones included, in whole words of 8 bytes."""
    return -(-(lead(case) + case.end + case.guard) // 8) * 8


def inside(case: Case) -> range:
    """Places between the guard zones."""
    return range(lead(case), lead(case) + case.end)


def segments_of(case: Case) -> pages.Segments:
    """The segments as places in the image, equal ones once."""
    rows = np.array([(s.base, s.stride, s.page, s.blocks) for s in case.segments], np.int64)
    return pages.Segments(rows[:, 0] + lead(case), *rows[:, 1:].T)


def effects_of(case: Case, ids: np.ndarray) -> pages.Effects:
    """What clearing the blocks ``ids``, int64 ``[n]``, must and may do to the image."""
    if case.layers:
        return layouts.effects(views_of(case), ids, total(case))
    return pages.effects(segments_of(case), ids)


def victim(case: Case, offset: int, effects: pages.Effects) -> str:
    """Whose byte of the image it is that had to stay."""
    if case.layers:
        return layouts.victim(offset, views_of(case), effects, inside(case), total(case))
    return regions.victim(offset, segments_of(case), effects, inside(case))


def views_of(case: Case) -> list[layouts.View]:
    """The layers of a layout case as places in the image."""
    ahead = lead(case)
    return [
        layouts.View(
            place.offset + ahead,
            place.shape,
            place.strides,
            ITEM[place.layer.dtype],
            place.block_dim,
            place.layer.ratio,
            place.layer.cleared,
            tuple((start + ahead, stride) for start, stride in place.tiles),
        )
        for place in case.placed.places
    ]
