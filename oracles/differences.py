"""Where two images differ, as columns: a large image may have more wrong regions than there is memory for objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

CLOBBERED, WRONG, STALE = 0, 1, 2
"""Kinds of a difference: changed where it had to stay, written with something else, or not written at all."""


class Differences(NamedTuple):
    """Wrong stretches by address: starts and stops, int64 ``[n]``, and kinds, int8 ``[n]``."""

    starts: np.ndarray
    stops: np.ndarray
    kinds: np.ndarray

    def moved(self, by: int | np.ndarray) -> Differences:
        """The same elsewhere."""
        return Differences(self.starts + by, self.stops + by, self.kinds)

    def where(self, kept: np.ndarray) -> Differences:
        """Some of them, by a mask or by number."""
        return Differences(self.starts[kept], self.stops[kept], self.kinds[kept])


NONE = Differences(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int8))


def joined(found: Sequence[Differences]) -> Differences:
    """Lists of stretches that follow one another as one, neighbours of one kind as one stretch."""
    starts, stops, kinds = map(np.concatenate, zip(NONE, *found, strict=True))
    if not len(starts):
        return NONE
    opens = np.concatenate([[True], (starts[1:] != stops[:-1]) | (kinds[1:] != kinds[:-1])])
    closes = np.concatenate([opens[1:], [True]])
    return Differences(starts[opens], stops[closes], kinds[opens])


def stretches(before: np.ndarray, after: np.ndarray, expected: np.ndarray) -> Differences:
    """The wrong stretches of an image that is not as expected.

    Args:
        before: the image that was laid, uint8 ``[n]``, without a zero byte.
        after: the image that came back.
        expected: what it had to be; a wrong byte that is zero here had to be cleared.
    """
    wrong = expected != after
    low, high = int(wrong.argmax()), len(wrong) - int(wrong[::-1].argmax())
    wrong, before, after, expected = wrong[low:high], before[low:high], after[low:high], expected[low:high]
    in_page = wrong & (expected == 0)
    code = wrong.view(np.int8) + in_page.view(np.int8) + (in_page & (after == before)).view(np.int8)
    changes = np.flatnonzero(code[1:] != code[:-1]) + 1
    starts, stops = np.concatenate([[0], changes]), np.concatenate([changes, [len(code)]])
    kinds = code[starts] - 1  # 0 is right
    kept = kinds >= 0
    return Differences(starts[kept] + low, stops[kept] + low, kinds[kept])
