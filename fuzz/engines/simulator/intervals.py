"""Intervals of addresses or places: starts, and firsts behind them, int64 ``[n]`` each."""

from __future__ import annotations

import numpy as np


def merged(starts: np.ndarray, stops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same bytes as disjoint intervals that do not touch, by start."""
    if len(starts) < 2:
        return starts, stops
    order = starts.argsort()
    starts, stops = starts[order], stops[order]
    opens = np.empty(len(starts), np.bool_)
    opens[0] = True
    np.greater(starts[1:], np.maximum.accumulate(stops)[:-1], out=opens[1:])
    firsts = opens.nonzero()[0]
    return starts[firsts], np.maximum.reduceat(stops, firsts)
