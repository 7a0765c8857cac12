"""The memory that a kernel may touch: known buffers, bounds, alignment; all else is a fault.

Known are the storages of a launch's arguments, what was registered, and the arena of the case at hand.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from typing import Any

import numpy as np

from fuzz.engines.simulator.buffer import Buffer
from fuzz.engines.simulator.faults import Fault
from fuzz.engines.simulator.integers import wrap

_NARROW = np.dtype(np.uint32)
_NEGATIVE = 2**31
"""Where negative indices of 32 bits begin, when they are read as unsigned ones."""

_NO_WRAP = 2**62
"""Addresses below this do not wrap when a stretch of lanes is added."""


class Memory:
    """All buffers that are known at the moment."""

    def __init__(self) -> None:
        self._kept: dict[int, Buffer] = {}
        self._arena: dict[int, Buffer] = {}
        self._lenders: list[object] = []
        self._passed: dict[int, Buffer] = {}
        self._owners: list[object] = []
        self._sorted: list[Buffer] | None = None
        self._starts: list[int] = []

    def register(self, start: int, size: int, name: str, *, owner: object = None) -> None:
        """Know a range from now on, and keep its owner alive; one at the same address is replaced."""
        self._kept[start] = Buffer(start, size, name)
        self._owners.append(owner)
        self._sorted = None

    def arena(self, start: int, size: int, *, virtual: bool = False) -> Buffer:
        """Know the arena of the case at hand, in place of the one before."""
        buffer = Buffer(start, size, "the virtual arena" if virtual else "the arena", virtual=virtual)
        self._arena = {start: buffer}
        self._lenders = []
        self._sorted = None
        return buffer

    def lend(self, start: int, size: int, name: str, *, owner: object) -> None:
        """Know a range until the next arena, and keep its owner alive as long."""
        if size and start not in self._arena:
            self._arena[start] = Buffer(start, size, name)
            self._lenders.append(owner)
            self._sorted = None

    def passed(self, ranges: Iterable[tuple[int, int, str]]) -> None:
        """Know the storages of one launch's arguments, instead of those of the launch before."""
        passed: dict[int, Buffer] = {}
        self._passed = passed
        for start, size, name in ranges:
            known = passed.get(start) or self._kept.get(start) or self._arena.get(start)
            if size and (known is None or known.stop < start + size):
                passed[start] = Buffer(start, size, name)
        self._sorted = None

    def load(self, addresses: Any, dtype: np.dtype) -> Any:
        """The elements at addresses: one number for one address, an array for an array.

        Raises:
            Fault: if one is misaligned or outside every known buffer.
        """
        size = dtype.itemsize
        shift = size.bit_length() - 1
        if isinstance(addresses, int):
            self._aligned(addresses, size, "load")
            first, view = self._one(addresses, addresses + size, "load").elements(dtype)
            return view[(addresses - first) >> shift].item()
        if not addresses.size:
            return np.empty(addresses.shape, dtype)
        buffer = self._holding(int(addresses.flat[0]), 0)
        if buffer is not None and not buffer.virtual:
            first, view = buffer.elements(dtype)
            places = _places(addresses, first, shift)
            if np.maximum.reduce(places, axis=None) < len(view):
                return view[places]
        self._aligned(addresses, size, "load")
        values = np.empty(addresses.shape, dtype)
        for buffer, chosen in self._each(addresses, addresses + size, "load"):
            first, view = buffer.elements(dtype)
            values[chosen] = view[(addresses[chosen] - first) >> shift]
        return values

    def element(self, base: int, index: Any, dtype: np.dtype) -> Any:
        """The elements number ``index`` behind ``base``, as :meth:`load` of their addresses gives them.

        Raises:
            Fault: if one is misaligned or outside every known buffer.
        """
        size = dtype.itemsize
        if not isinstance(index, np.ndarray):
            return self.load(wrap(base + index * size, 64), dtype)
        buffer = self._holding(base, base)
        if buffer is not None and not buffer.virtual and index.itemsize == _NARROW.itemsize and not base % size:
            elements = buffer.behind(base, dtype)
            if len(elements) <= _NEGATIVE:
                try:
                    return elements.take(index.view(_NARROW))
                except IndexError:  # one is negative, or lies further on
                    pass
        return self.load(base + index.astype(np.int64) * size, dtype)

    def store(self, addresses: Any, values: Any, dtype: np.dtype) -> None:
        """Write elements; of two for one address the last in order stays.

        Raises:
            Fault: before anything is written, if one is misaligned or outside every known buffer.
        """
        size = dtype.itemsize
        addresses = np.atleast_1d(np.asarray(addresses, np.int64)).ravel()
        if not len(addresses):
            return
        self._aligned(addresses, size, "store")
        values = np.broadcast_to(np.asarray(values, dtype).ravel(), addresses.shape)
        for buffer, chosen in self._each(addresses, addresses + size, "store", writing=True):
            where = addresses[chosen]
            if buffer.virtual:
                places = where - buffer.start
                buffer.written.append((places, places + size, values[chosen].copy()))
            else:
                first, view = buffer.elements(dtype)
                view[(where - first) // size] = values[chosen]

    def fill(self, starts: np.ndarray, stops: np.ndarray, value: int, dtype: np.dtype) -> None:
        """Write one element all over intervals of addresses, int64 ``[n]`` each.

        Raises:
            Fault: before anything is written, if one is misaligned or outside every known buffer.
        """
        if not len(starts):
            return
        bits = int(np.bitwise_or.reduce(starts))
        if bits % dtype.itemsize:
            self._aligned(starts, dtype.itemsize, "store")
        buffer = None
        if 0 <= bits < _NO_WRAP:
            buffer = self._holding(int(np.minimum.reduce(starts)), int(np.maximum.reduce(stops)))
        if buffer is not None:
            parts: Iterable[tuple[Buffer, Any]] = ((buffer, ...),)
        else:
            parts = self._each(starts, stops, "store", writing=True)
        for buffer, chosen in parts:
            buffer.fill(starts[chosen] - buffer.start, stops[chosen] - buffer.start, value, dtype)

    def _aligned(self, addresses: Any, size: int, what: str) -> None:
        if size == 1:
            return
        wrong = addresses % size if isinstance(addresses, int) else np.bitwise_or.reduce(addresses, axis=None) % size
        if wrong:
            flat = np.ravel(addresses)
            index = int(np.flatnonzero(flat % size)[0])
            words = f"{what} of {size} bytes at 0x{int(flat[index]):x}, which is no multiple of {size}"
            raise Fault("misaligned", words, index)

    def _order(self) -> list[Buffer]:
        if self._sorted is None:
            known = self._kept | self._arena | self._passed
            self._sorted = []
            for start in sorted(known):
                buffer = known[start]
                if self._sorted and self._sorted[-1].touches(buffer):
                    self._sorted[-1] = self._sorted[-1].joined(buffer)
                else:
                    self._sorted.append(buffer)
            self._starts = [buffer.start for buffer in self._sorted]
        return self._sorted

    def _holding(self, low: int, high: int) -> Buffer | None:
        order = self._order()
        at = bisect.bisect_right(self._starts, low) - 1
        return order[at] if at >= 0 and high <= order[at].stop else None

    def _one(self, low: int, high: int, what: str) -> Buffer:
        buffer = self._holding(low, high)
        if buffer is None or (buffer.virtual and what == "load"):
            raise self._astray(low, high, what, 0)
        return buffer

    def _each(
        self, lows: np.ndarray, highs: np.ndarray, what: str, *, writing: bool = False
    ) -> list[tuple[Buffer, Any]]:
        """Every buffer that is touched, with the elements that lie in it.

        Raises:
            Fault: naming the first element that lies in none, or is to be loaded from a virtual one.
        """
        order = self._order()
        starts = np.array(self._starts, np.int64)
        stops = np.array([buffer.stop for buffer in order], np.int64)
        at = np.searchsorted(starts, lows, side="right") - 1
        ends = stops[np.maximum(at, 0)] if order else lows
        astray = (at < 0) | (lows >= ends) | (highs > ends)
        if not writing and order:
            astray |= np.array([buffer.virtual for buffer in order])[np.maximum(at, 0)]
        if astray.any():
            index = int(astray.argmax())
            raise self._astray(int(lows.flat[index]), int(highs.flat[index]), what, index)
        touched = np.unique(at).tolist()
        return [(order[number], at == number if len(touched) > 1 else slice(None)) for number in touched]

    def _astray(self, low: int, high: int, what: str, index: int) -> Fault:
        words = f"{what} of {high - low} bytes at 0x{low % 2**64:x}"
        holder = next((b for b in self._order() if b.start <= low and high <= b.stop), None)
        if holder is not None:
            return Fault("memory", f"{words}, in {holder.name}, which has no bytes to load", index)
        if not self._order():
            return Fault("memory", f"{words}; no buffer is known", index)
        nearest = min(self._order(), key=lambda buffer: _distance(buffer, low, high))
        inside = [max(low, nearest.start), min(high, nearest.stop)]
        if inside[0] < inside[1]:
            words += f", {high - low - (inside[1] - inside[0])} of them outside {nearest.name}"
        elif low < nearest.start:
            words += f", {_apart(nearest.start - high)} below {nearest.name}"
        else:
            words += f", {_apart(low - nearest.stop)} past {nearest.name}"
        return Fault("memory", f"{words} [0x{nearest.start:x}, 0x{nearest.stop:x})", index)


def _places(addresses: np.ndarray, first: int, shift: int) -> np.ndarray:
    """Places of elements behind ``first``, uint64; those before it, and misaligned ones, become huge."""
    distance = (addresses - first).view(np.uint64)
    return distance >> shift | distance << (64 - shift) if shift else distance


def _apart(count: int) -> str:
    return f"{count} bytes" if count else "right"


def _distance(buffer: Buffer, low: int, high: int) -> int:
    return max(buffer.start - high, low - buffer.stop, 0)
