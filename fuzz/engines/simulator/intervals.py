"""Intervals of addresses or places, int64 ``[n, 2]``: start, and first behind it."""

from __future__ import annotations

import numpy as np


def merged(intervals: np.ndarray) -> np.ndarray:
    """The same bytes as disjoint intervals that do not touch, by start."""
    if len(intervals) < 2:
        return intervals
    ordered = intervals[np.argsort(intervals[:, 0], kind="stable")]
    reach = np.maximum.accumulate(ordered[:, 1])
    opens = np.concatenate([[True], ordered[1:, 0] > reach[:-1]])
    closes = np.concatenate([opens[1:], [True]])
    return np.stack([ordered[opens, 0], reach[closes]], axis=1)
