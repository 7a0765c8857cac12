"""A range of addresses that kernels may touch.

It may be virtual: without bytes behind it, so that stores are kept as intervals and loads fault.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from fuzz.engines.simulator.intervals import merged

_BYTE = np.dtype(np.uint8)

_LOWEST = 2**12
_HIGHEST = 2**62
"""Addresses that views reach; nobody's memory lies in the first page."""

FEW = 48
"""Intervals up to which merging costs more than it saves."""


class Buffer:
    """A range of addresses.

    Attributes:
        start: first address.
        stop: first address behind it.
        name: what to call it in a report.
        virtual: whether there are no bytes behind it.
        written: of a virtual buffer, what was stored: starts and stops as places in it, and values.
    """

    def __init__(self, start: int, size: int, name: str, *, virtual: bool = False) -> None:
        self.start = start
        self.stop = start + size
        self.name = name
        self.virtual = virtual
        self.written: list[tuple[np.ndarray, np.ndarray, Any]] = []

    def touches(self, other: Buffer) -> bool:
        """Whether one that starts later overlaps it or follows it at once, both with bytes."""
        return other.start <= self.stop and not self.virtual and not other.virtual

    def joined(self, other: Buffer) -> Buffer:
        """With one that overlaps it or follows it at once, as views of one allocation may do."""
        if other.stop <= self.stop:
            return self
        return Buffer(self.start, other.stop - self.start, f"{self.name} and {other.name}")

    def elements(self, dtype: np.dtype) -> tuple[int, np.ndarray]:
        """Its aligned elements of a type, and the address of the first."""
        first = self.start + -self.start % dtype.itemsize
        return first, self.behind(first, dtype)

    def behind(self, address: int, dtype: np.dtype) -> np.ndarray:
        """Its elements of a type from an aligned address on."""
        size = dtype.itemsize
        return _elements(dtype)[(address - _LOWEST) // size : (self.stop - _LOWEST) // size]

    def fill(self, firsts: np.ndarray, lasts: np.ndarray, value: int, dtype: np.dtype) -> None:
        """Write one element all over intervals of places in it."""
        if len(firsts) > FEW:
            firsts, lasts = merged(firsts, lasts)
        if self.virtual:
            self.written.append((firsts, lasts, value))
            return
        memory = self.behind(self.start, _BYTE)
        if value == 0:
            for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
                memory[first:last] = 0
        else:
            for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
                memory[first:last].view(dtype)[:] = value


class _Raw:
    """Elements at an address, as NumPy takes them."""

    def __init__(self, address: int, count: int, kind: str) -> None:
        self.__array_interface__ = {"data": (address, False), "shape": (count,), "typestr": kind, "version": 3}


@cache
def _elements(dtype: np.dtype) -> np.ndarray:
    """Elements from the lowest address on; a slice of them takes a tenth of the time of a view made anew."""
    return np.asarray(_Raw(_LOWEST, _HIGHEST // dtype.itemsize, dtype.str))
