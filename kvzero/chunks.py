"""Cutting the pages of a table into chunks, one row for all that a program clears of a block in a row."""

from __future__ import annotations

import numpy as np

from kvzero.segments import SegmentTable

LINE = 128
"""Bytes that a GPU writes together: chunks inside of a page begin at multiples of this from its start."""


def cut(table: SegmentTable, widest: int, most: int) -> np.ndarray:
    """The chunks of a table's pages: address in block 0, stride and length in bytes, int64 ``[chunks, 3]``.

    Chunks of a page are equally long, but for the last. They are sorted by address. Of segments with one
    address and one stride only the widest page is kept, as in upstream's planner: the others lie in it.

    Args:
        table: at least one segment.
        widest: most bytes of a chunk, rounded up to whole lines, unless that would be more chunks than ``most``.
        most: how many chunks to aim at, however wide pages are: one more a page at most.
    """
    base, stride, page = _distinct(table)
    # A sum of floats: pages of many terabytes must not wrap, and it need not be exact.
    widest = max(widest, int(page.sum(dtype=np.float64) / most) + 1)
    counts = _divided(page, -(-widest // LINE) * LINE)
    # Whole lines are no wider than the widest chunk, which is of whole lines: so something is left for the last.
    length = _divided(_divided(page, counts), LINE) * LINE
    offset = np.arange(counts.sum()) - np.repeat(counts.cumsum() - counts, counts)
    base, stride, page, length = np.repeat([base, stride, page, length], counts, axis=1)
    offset *= length
    return np.stack([base + offset, stride, np.minimum(page - offset, length)], axis=1)


def _distinct(table: SegmentTable) -> np.ndarray:
    """Base, stride and page of the widest page for each base and stride, int64 ``[3, segments]``."""
    columns = table.columns()[:, np.lexsort((table.page, table.stride, table.base))]
    widest = np.ones(columns.shape[1], bool)
    widest[:-1] = (np.diff(columns[:2]) != 0).any(axis=0)
    return columns[:, widest]


def _divided(number: np.ndarray, by: np.ndarray | int) -> np.ndarray:
    """The quotient, rounded up."""
    return -(-number // by)
