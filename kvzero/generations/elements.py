"""Counting in int32 elements, the unit of every generation's meta tuple and stores."""

from __future__ import annotations

import numpy as np

from kvzero.segments import SegmentTable

ELEMENT = 4
"""Bytes of one element: the kernels store int32 zeros."""

MAX_CHUNK = 1024
"""Most elements that one program clears, in all generations."""


def require_whole_elements(table: SegmentTable) -> None:
    """Refuse a table that an int32 store cannot address.

    Raises:
        ValueError: naming the first base, stride or page that is no multiple of 4 bytes.
    """
    if not np.count_nonzero((table.base | table.stride | table.page) % ELEMENT):
        return
    for name, column in (("base", table.base), ("stride", table.stride), ("page", table.page)):
        crooked = np.flatnonzero(column % ELEMENT)
        if crooked.size:
            raise ValueError(
                f"{name}={column[crooked[0]]} in segment {crooked[0]}: must be a multiple of "
                f"{ELEMENT} bytes, because the kernel stores int32; use a byte-wise zeroer instead"
            )


def common_chunk(spans: np.ndarray) -> int:
    """The widest power of two, at most 1,024, that divides every span (elements)."""
    return min(int((spans & -spans).min()), MAX_CHUNK)
