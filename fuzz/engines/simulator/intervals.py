"""Intervals of addresses or places: starts, and firsts behind them, int64 ``[n]`` each."""

from __future__ import annotations

import numpy as np


def merged(starts: np.ndarray, stops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same bytes as disjoint intervals that do not touch, by start."""
    if len(starts) < 2:
        return starts, stops
    order = np.argsort(starts, kind="stable")
    starts, stops = starts[order], stops[order]
    reach = np.maximum.accumulate(stops)
    opens = np.concatenate([[True], starts[1:] > reach[:-1]])
    closes = np.concatenate([opens[1:], [True]])
    return starts[opens], reach[closes]
