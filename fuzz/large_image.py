"""An arena of gigabytes after a call: judged byte for byte where it lies, and where it is wrong once more by NumPy.

The device names the tiles that are wrong. These, a sample of the others and what the device is not
asked about go to the host and through the byte oracle. Two checkers that disagree on a tile are trouble
of ours, and nothing is said about the target.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch

from fuzz import device_check
from fuzz.engines import EngineFailed
from oracles import pages
from oracles.differences import Differences, joined

SAMPLE = 32
"""Tiles that are audited of all, and as many again of those in which a page begins or ends."""

BATCH = 2**22
"""Bytes that are brought to the host at a time: what stays in a cache is compared faster."""

MOST_REGIONS = 2**20
"""Wrong regions of a kind that are told apart, or as many as there are pages to clear; later ones are left out. Four
bytes in a row that are right and wrong by turns would else take more memory than they lie in."""

Check = Callable[[torch.Tensor, int, np.ndarray, int], np.ndarray]
"""As :func:`fuzz.device_check.flagged`."""


class LargeImage(NamedTuple):
    """Memory of a device, read when it is judged; valid until it is laid again.

    Attributes:
        memory: the image, uint8 ``[n]`` of whole tiles.
        size: bytes of it that count.
        tile: bytes of a tile.
        check: gives the tiles that are wrong.
    """

    memory: torch.Tensor
    size: int
    tile: int = device_check.TILE
    check: Check = device_check.flagged

    def is_right(self, rows: pages.Rows, stretches: list[tuple[int, int]]) -> bool:  # noqa: ARG002
        """Left to :meth:`wrong`."""
        return False

    def wrong(self, effects: pages.Effects) -> list[pages.Region]:
        """Every region that is not as it has to be, by address.

        Raises:
            EngineFailed: if device and NumPy disagree.
        """
        flagged = self.check(self.memory, self.size, effects.must.ravel(), self.tile)
        unjudged = _touched(effects.may, self.tile)
        looked_at = np.unique(np.concatenate([flagged, unjudged, self._sample(effects.must)]))
        most = max(BATCH // self.tile, 1)
        left = [max(MOST_REGIONS, len(effects.must)) + len(looked_at) // most] * len(pages.KINDS)
        found: list[Differences] = []
        called_wrong, judged = np.isin(looked_at, flagged), ~np.isin(looked_at, unjudged)
        for start in range(0, len(looked_at), most):
            tiles = looked_at[start : start + most]
            differences = self._differences(tiles, effects)
            wrong = np.zeros(len(tiles), bool)
            wrong[_touched(np.stack(differences[:2], axis=1), self.tile)] = True
            disputed = (wrong != called_wrong[start : start + most]) & judged[start : start + most]
            if disputed.any():
                raise EngineFailed(self._dispute(tiles[disputed], wrong[disputed]))
            found.append(_first(joined([_real(differences, tiles, self.tile)]), left))
        return pages.listed(joined(found))

    def _sample(self, must: np.ndarray) -> np.ndarray:
        """Tiles to audit, the same ones each time: the first, the last, some of all and some at the edges of pages."""
        last = (self.size - 1) // self.tile
        random = np.random.default_rng(self.size)
        at_edges = random.choice(must.ravel(), SAMPLE) // self.tile if len(must) else np.empty(0, np.int64)
        sample = np.concatenate([[0, last], random.integers(0, last + 1, SAMPLE), at_edges])
        numbers: np.ndarray = np.minimum(sample, last)
        return numbers

    def _differences(self, tiles: np.ndarray, effects: pages.Effects) -> Differences:
        """What is wrong in some tiles, put side by side."""
        rows = torch.from_numpy(tiles).to(self.memory.device)
        after = self.memory.view(-1, self.tile).index_select(0, rows).cpu().numpy().ravel()
        before = device_check.poison_of(tiles, self.tile)
        counted = len(tiles) * self.tile - max((int(tiles[-1]) + 1) * self.tile - self.size, 0)
        must, may = (_side_by_side(intervals, tiles, self.tile) for intervals in (effects.must, effects.may))
        return pages.differences(before[:counted], after[:counted], pages.Effects(must, must[:, 0], must, may))

    def _dispute(self, tiles: np.ndarray, wrong: np.ndarray) -> str:
        numpy, device = ("wrong", "right") if wrong[0] else ("right", "wrong")
        return (
            f"two checkers of one image disagree about {len(tiles)} tiles of {self.tile} bytes: "
            f"the first, at {tiles[0] * self.tile}, is {numpy} to NumPy and {device} to the device"
        )


def _touched(intervals: np.ndarray, tile: int) -> np.ndarray:
    """The numbers of the tiles that hold a byte of some intervals, int64 ``[n, 2]``, ascending."""
    firsts, behind = intervals[:, 0] // tile, (intervals[:, 1] - 1) // tile + 1
    most = int(behind.max(initial=0)) + 1
    holding = np.cumsum(np.bincount(firsts, minlength=most) - np.bincount(behind, minlength=most))
    return np.flatnonzero(holding)


def _ranges(firsts: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Consecutive numbers from each of ``firsts`` on, and which of these each belongs to."""
    which = np.repeat(np.arange(len(firsts)), counts)
    return firsts[which] + np.arange(len(which)) - (np.cumsum(counts) - counts)[which], which


def _side_by_side(intervals: np.ndarray, tiles: np.ndarray, tile: int) -> np.ndarray:
    """Disjoint intervals, int64 ``[n, 2]`` by start, cut to some tiles and counted as if these followed one another."""
    starts = tiles * tile
    lows = np.searchsorted(intervals[:, 1], starts, side="right")
    highs = np.searchsorted(intervals[:, 0], starts + tile, side="left")
    held, row = _ranges(lows, highs - lows)
    cut: np.ndarray = np.clip(intervals[held], starts[row, None], starts[row, None] + tile)
    cut += (row * tile - starts[row])[:, None]
    return cut


def _real(found: Differences, tiles: np.ndarray, tile: int) -> Differences:
    """Stretches in tiles side by side, cut at the tiles' borders and back in their places."""
    firsts, lasts = found.starts // tile, (found.stops - 1) // tile
    if np.array_equal(firsts, lasts):
        return found.moved((tiles[firsts] - firsts) * tile)
    rows, which = _ranges(firsts, lasts - firsts + 1)
    starts = np.maximum(found.starts[which], rows * tile)
    stops = np.minimum(found.stops[which], (rows + 1) * tile)
    return Differences(starts, stops, found.kinds[which]).moved((tiles[rows] - rows) * tile)


def _first(found: Differences, left: list[int]) -> Differences:
    """The first stretches of each kind, as many as are still ``left``, which is lowered by them."""
    if len(found.starts) <= min(left):
        counts = np.bincount(found.kinds, minlength=len(left))
        left[:] = [more - int(count) for more, count in zip(left, counts, strict=True)]
        return found
    kept = np.zeros(len(found.starts), bool)
    for kind, most in enumerate(left):
        places = np.flatnonzero(found.kinds == kind)[:most]
        kept[places] = True
        left[kind] -= len(places)
    return found.where(kept)
