"""Sizes at which kernels go wrong: pages around powers of two and multiples of 16, padding, alignment of bases.

All are multiples of a unit in bytes. They know how wide a device's loads, vectors and pages are, and no kernel.
"""

from __future__ import annotations

WORD = 4

POWERS = (4, 8, 16, 32, 64, 128, 256)
ODD_SIXTEENS = (48, 192)
"""Multiples of 16 that are no powers of two: 3 times 16, and 3 times 64."""

WIDE = (4096,)
"""One power that is wider than any few lanes of a program; wider ones differ from it in nothing but time."""

FIRST = 5
"""Pages of one to so many units stand in the set whatever the unit is."""

PADS = (16, 128)
"""Bytes that strides are rounded up to: the widest store of a thread, and a cache line."""

ALIGNED = 16
"""A base is aligned to each power of two up to so many bytes, and to four units at the least."""


def narrow(unit: int) -> tuple[int, ...]:
    """Pages of up to a few hundred bytes, ascending."""
    return _around((*POWERS, *ODD_SIXTEENS), unit, FIRST)


def pages(unit: int) -> tuple[int, ...]:
    """All pages, ascending."""
    return tuple(sorted({*narrow(unit), *_around(WIDE, unit, 0)}))


def strides(page: int, unit: int) -> tuple[int, ...]:
    """Strides of a page, ascending: packed, one step wider, rounded up, and twice the page."""
    rounded = [-(-page // pad) * pad for pad in (max(pad, unit) for pad in PADS)]
    return tuple(sorted({page, 2 * page, *(page + step for step in _steps(unit)), *rounded}))


def shapes(of: tuple[int, ...], unit: int) -> tuple[tuple[int, int], ...]:
    """Each of the pages with each of its strides."""
    return tuple((page, stride) for page in of for stride in strides(page, unit))


def shifts(unit: int) -> tuple[int, ...]:
    """Bases that are aligned to one power of two and to no larger one; 0 is aligned to all."""
    most = max(ALIGNED, 4 * unit)
    return (0, *(unit << power for power in range(most.bit_length()) if unit << power <= most))


def _steps(unit: int) -> tuple[int, ...]:
    """How far from an edge: one unit, and one word where units are smaller."""
    return tuple(sorted({unit, max(unit, WORD)}))


def _around(edges: tuple[int, ...], unit: int, first: int) -> tuple[int, ...]:
    sizes = {count * unit for count in range(1, first + 1)}
    for edge in edges:
        sizes |= {edge + sign * step for step in (0, *_steps(unit)) for sign in (-1, 1)}
    return tuple(sorted(size for size in sizes if size > 0 and size % unit == 0))
