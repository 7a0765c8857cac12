"""The largest grids of many launches, in whatever order and stretches they come."""

from __future__ import annotations

import random

from fuzz.grids import Largest, largest


def test_order_and_stretches_do_not_matter() -> None:
    """Any cut of any order of launches gives the same largest grids, ties among them, too."""
    numbers = random.Random(3)  # noqa: S311
    launches = [(tuple(numbers.choices(range(3), k=numbers.randint(1, 3))), numbers.choice((1, 4))) for _ in range(60)]
    found = []
    for _ in range(20):
        numbers.shuffle(launches)
        cut = numbers.randint(0, 60)
        parts = []
        for part in (launches[:cut], launches[cut:]):
            seen = Largest()
            for grid, warps in part:
                seen.note(grid, warps)
            parts.append(seen.grids)
        found.append(largest(parts))
    assert all(one == found[0] for one in found)
    assert found[0]["product"][:3] == (2, 2, 2)
    assert found[0]["x"] == max((*(*grid, 1, 1)[:3], warps) for grid, warps in launches)


def test_each_axis_has_a_grid_of_its_own() -> None:
    """Wide along one axis is not most programs."""
    seen = Largest()
    for grid in ((9,), (1, 8), (1, 1, 7), (4, 4)):
        seen.note(grid, 4)
    assert seen.grids == {"x": (9, 1, 1, 4), "y": (1, 8, 1, 4), "z": (1, 1, 7, 4), "product": (4, 4, 1, 4)}
    seen.clear()
    assert seen.grids == {}
