"""What a call left behind: bytes, or the stretches that were written where there are no bytes."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from oracles import pages

FEW = 2048
"""Stretches of pages up to which a right image is recognised one by one, faster than by sorting pages."""


class Image(Protocol):
    """An arena after a call; places count from its start."""

    def is_right(self, rows: pages.Rows, stretches: list[tuple[int, int]]) -> bool:
        """Whether it is surely right; False may mean that the question takes :meth:`wrong` to answer."""

    def wrong(self, effects: pages.Effects) -> list[pages.Region]:
        """Every region that is not as it has to be, by address."""


class HeldImage(NamedTuple):
    """Bytes, uint8 ``[n]`` before and after."""

    before: np.ndarray
    after: np.ndarray

    def is_right(self, rows: pages.Rows, stretches: list[tuple[int, int]]) -> bool:
        """Whether nothing but the pages of these blocks changed, and all of them are zero."""
        return len(rows) * len(stretches) <= FEW and pages.is_right(self.before, self.after, rows, stretches)

    def wrong(self, effects: pages.Effects) -> list[pages.Region]:
        """Every region that is not as it has to be, by address."""
        return pages.compare(self.before, self.after, effects)


class WrittenImage(NamedTuple):
    """Stores in the order they were made: starts and stops, int64 ``[n]``, and a value or ``[n]`` of them."""

    stores: list[tuple[np.ndarray, np.ndarray, int | np.ndarray]]

    def is_right(self, rows: pages.Rows, stretches: list[tuple[int, int]]) -> bool:  # noqa: ARG002
        """Left to :meth:`wrong`."""
        return False

    def wrong(self, effects: pages.Effects) -> list[pages.Region]:
        """Every region that is not as it has to be, by address."""
        return pages.compare_written(self.stores, effects)
