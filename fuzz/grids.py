"""The largest grids of a stretch of launches: one an axis, and one of most programs."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

AXES = ("x", "y", "z", "product")

Grid = tuple[int, int, int, int]
"""Blocks in x, y and z, and warps a block."""


class Largest:
    """Collects grids; of those equal along an axis the largest is kept, so that their order does not matter.

    Attributes:
        grids: by axis.
    """

    def __init__(self) -> None:
        self.grids: dict[str, Grid] = {}
        self._sizes = [-1] * len(AXES)

    def note(self, grid: tuple[int, ...], num_warps: int) -> None:
        """Look at a launch, whatever its launcher will make of it."""
        x, y, z = (*grid, 1, 1, 1)[:3]
        sizes, largest = (x, y, z, x * y * z), self._sizes
        for number, axis in enumerate(AXES):
            if sizes[number] < largest[number]:
                continue
            grid = (x, y, z, num_warps)
            if sizes[number] > largest[number] or grid > self.grids[axis]:
                largest[number] = sizes[number]
                self.grids[axis] = grid

    def clear(self) -> None:
        """Begin another stretch."""
        self.grids = {}
        self._sizes = [-1] * len(AXES)


SEEN = Largest()
"""What the targets of this process launched since it was last cleared."""


def largest(several: Iterable[dict[str, Grid]]) -> dict[str, Grid]:
    """The largest grids of several stretches together; the order of stretches does not matter."""
    found: dict[str, Grid] = {}
    for grids in several:
        for axis, grid in grids.items():
            if axis not in found or _rank(axis, grid) > _rank(axis, found[axis]):
                found[axis] = grid
    return dict(sorted(found.items()))


def _rank(axis: str, grid: Grid) -> tuple[int, Grid]:
    return (prod(grid[:3]) if axis == "product" else grid[AXES.index(axis)], grid)
