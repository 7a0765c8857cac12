"""Where a case's bytes lie in its image: a guard zone, the segments, a guard zone."""

from __future__ import annotations

import numpy as np

from fuzz.case import ALIGNMENT, Case
from oracles.pages import Segments


def lead(case: Case) -> int:
    """Bytes of the front guard zone, rounded up so that offset 0 is aligned."""
    return -(-case.guard // ALIGNMENT) * ALIGNMENT


def total(case: Case) -> int:
    """Bytes of the image, guard zones included, in whole words of 8 bytes."""
    return -(-(lead(case) + case.end + case.guard) // 8) * 8


def inside(case: Case) -> range:
    """Places between the guard zones."""
    return range(lead(case), lead(case) + case.end)


def segments_of(case: Case) -> Segments:
    """The segments as places in the image, equal ones once."""
    rows = np.array([(s.base, s.stride, s.page, s.blocks) for s in case.segments], np.int64)
    return Segments(rows[:, 0] + lead(case), *rows[:, 1:].T)
