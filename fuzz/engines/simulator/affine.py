"""Tensors that are not written out: numbers that grow evenly along each axis, and runs of a mask.

``pid * 1024 + arange(0, 1024)`` is one number for each program and a step of 1; ``offsets < page`` is
one stretch of lanes for each program. Held so, a store of a whole page costs as much as one of an
element. Sums and products are exact modulo the width, as hardware's are. What asks for an order, a
comparison or a stretch of memory, first makes sure that no number wraps; if one does, the tensor is
written out.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from fuzz.engines.simulator.integers import least, limits, most, wrap
from fuzz.engines.simulator.types import INTEGERS
from fuzz.engines.simulator.width import refuse_wide

_SAFE = 2**61
"""Differences of numbers below this stay in 64 bits."""


class Affine:
    """``base + sum(steps[k] * index[k])`` modulo ``2**bits``.

    Attributes:
        base: one number, or an array ``[programs or 1, extent or 1, ...]`` with extent 1 on each axis
            that has a step.
        steps: growth along each axis.
        shape: extents of the tensor.
        bits: width of an element.
    """

    __slots__ = ("_extent", "base", "bits", "shape", "steps")

    def __init__(self, base: Any, steps: tuple[int, ...], shape: tuple[int, ...], bits: int) -> None:
        self.base = base
        self.steps = steps
        self.shape = shape
        self.bits = bits
        self._extent: tuple[int, int] | bool | None = False

    def extent(self) -> tuple[int, int] | None:
        """Numbers that none is smaller and none larger than, or None if one wraps."""
        if self._extent is False:
            self._extent = self._within(_bounds(self.base)) or self._within(extent(self.base))
        return self._extent  # type: ignore[return-value]

    def _within(self, bounds: tuple[int, int]) -> tuple[int, int] | None:
        """Bounds of all numbers, from those of the base; None if they do not fit the width."""
        low, high = bounds
        for step, size in zip(self.steps, self.shape, strict=True):
            if step > 0:
                high += step * (size - 1)
            else:
                low += step * (size - 1)
        lowest, highest = limits(self.bits)
        return (low, high) if lowest <= low and high <= highest else None


class Span:
    """A mask that holds from ``low`` to before ``high`` along the last axis.

    ``low`` and ``high`` are a number or an array ``[programs or 1, extent or 1, ..., 1]``, from 0 to the
    axis's extent.
    """

    __slots__ = ("high", "low", "shape")

    def __init__(self, low: Any, high: Any, shape: tuple[int, ...]) -> None:
        self.low = low
        self.high = high
        self.shape = shape


def counting(start: int, stop: int) -> Affine:
    """``arange(start, stop)`` in 32 bits."""
    return Affine(start, (1,), (stop - start,), 32)


def extent(value: Any) -> tuple[int, int]:
    """The smallest and the largest of plain numbers."""
    if isinstance(value, int):
        return value, value
    if value.size == 1:
        number = int(value.item())
        return number, number
    return int(np.minimum.reduce(value, axis=None)), int(np.maximum.reduce(value, axis=None))


def _bounds(value: Any) -> tuple[int, int]:
    """What :func:`extent` gives, or a little wider, in half the time."""
    if isinstance(value, np.ndarray) and value.size > 1:
        bits = int(np.bitwise_or.reduce(value, axis=None))
        if bits >= 0:
            return 0, bits
    return extent(value)


def add(a: Any, b: Any) -> Affine | None:
    """Sum of two tensors, one of them affine; None if an axis has a step in one and extents in the other."""
    if not isinstance(a, Affine):
        a, b = b, a
    if not _combinable(a, b):
        return None
    if not isinstance(b, Affine):
        return Affine(_plain(a.base + b, a.bits), a.steps, a.shape, a.bits)
    steps = tuple(wrap(x + y, a.bits) for x, y in zip(a.steps, b.steps, strict=True))
    return Affine(_plain(a.base + b.base, a.bits), steps, a.shape, a.bits)


def subtract(a: Any, b: Any) -> Affine | None:
    """Difference of two tensors, one of them affine."""
    if isinstance(b, Affine):
        return add(a, multiply(b, -1))
    return add(a, _plain(-b, a.bits)) if isinstance(a, Affine) and _countable(b) else None


def multiply(a: Any, b: Any) -> Affine | None:
    """Product of an affine tensor with one number."""
    if isinstance(a, int):
        a, b = b, a
    if not isinstance(b, int) or not isinstance(a, Affine):
        return None
    steps = tuple(wrap(step * b, a.bits) for step in a.steps)
    return Affine(_plain(a.base * b, a.bits), steps, a.shape, a.bits)


def resize(value: Affine, bits: int) -> Affine | None:
    """The same numbers in another width; None if one of them wraps before it is widened."""
    if bits > value.bits and value.extent() is None:
        return None
    base, steps = value.base, value.steps
    if bits < value.bits:
        steps = tuple(wrap(step, bits) for step in steps)
    base = wrap(base, bits) if isinstance(base, int) else base.astype(INTEGERS[bits])
    return Affine(base, steps, value.shape, bits)


def below(predicate: str, a: Any, b: Any) -> Span | None:
    """The lanes for which ``a < b`` (or ``le``, ``gt``, ``ge``), where that is one stretch for each row."""
    if predicate not in _MIRRORED:
        return None
    if not isinstance(a, Affine) or not a.steps[-1]:
        a, b, predicate = b, a, _MIRRORED[predicate]
    if not isinstance(a, Affine) or a.steps[-1] <= 0 or not _combinable(a, b):
        return None
    if (isinstance(b, Affine) and b.steps[-1]) or not (_subtractable(a) and _subtractable(b)):
        return None
    step, size = a.steps[-1], a.shape[-1]
    room = _rows(b) - _rows(a)
    if predicate in ("le", "gt"):
        room = room + 1
    cut = _clipped(room if step == 1 else -(-room // step), size)
    return Span(0, cut, a.shape) if predicate in ("lt", "le") else Span(cut, size, a.shape)


_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def both(a: Any, b: Any) -> Any:
    """``a and b`` of masks, one of them a span; None if that is no span."""
    if not isinstance(a, Span):
        a, b = b, a
    if isinstance(b, Span):
        return Span(most(a.low, b.low), least(a.high, b.high), a.shape)
    if isinstance(b, int):
        return a if b else False
    if b.shape[-1] == 1:
        return Span(a.low, np.where(b, a.high, 0), a.shape)
    return None


def written_out(value: Any) -> Any:
    """A lazy tensor as an array; anything else as it is.

    Raises:
        TooWide: if that takes too much memory.
    """
    if isinstance(value, Affine):
        check_width(value.base, value.shape)
        result = value.base if isinstance(value.base, int) else value.base.astype(np.int64, copy=False)
        for axis, step in enumerate(value.steps):
            if step:
                result = result + _along(axis, value.shape, step)
        if isinstance(result, int):
            return result
        return result.astype(INTEGERS[value.bits], copy=False)
    if isinstance(value, Span):
        check_width(value.high, value.shape)
        check_width(value.low, value.shape)
        lanes = _along(len(value.shape) - 1, value.shape, 1)
        return (lanes >= value.low) & (lanes < value.high)
    return value


def check_width(value: Any, shape: tuple[int, ...]) -> None:
    """Refuse to write out a tensor of that shape for all programs of ``value`` at once.

    Raises:
        TooWide: if there is more than one program and too much memory would be used.
    """
    if isinstance(value, np.ndarray):
        refuse_wide(len(value), prod(shape))


def _combinable(a: Any, b: Any) -> bool:
    """Whether ``a`` is affine, ``b`` is numbers, and no axis has a step in one and extents in the other."""
    if not isinstance(a, Affine):
        return False
    if isinstance(b, Affine):
        return _apart(a.steps, b.base) and _apart(b.steps, a.base)
    return _countable(b) and _apart(a.steps, b)


def _countable(value: Any) -> bool:
    """Whether these are plain numbers, and no mask."""
    return isinstance(value, int) or (isinstance(value, np.ndarray) and value.dtype.kind != "b")


def _subtractable(value: Any) -> bool:
    """Whether no number wraps, and differences stay in 64 bits."""
    bounds = value.extent() if isinstance(value, Affine) else _bounds(value)
    return bounds is not None and bounds[0] > -_SAFE and bounds[1] < _SAFE


def _apart(steps: tuple[int, ...], base: Any) -> bool:
    if isinstance(base, int):
        return True
    if len(steps) == 1:
        return not steps[0] or base.shape[1] == 1
    return not any(step and size > 1 for step, size in zip(steps, base.shape[1:], strict=True))


def _plain(base: Any, bits: int) -> Any:
    return wrap(base, bits) if isinstance(base, int) else base


def _along(axis: int, shape: tuple[int, ...], step: int) -> np.ndarray:
    form = [1] * (len(shape) + 1)
    form[axis + 1] = shape[axis]
    return (np.arange(shape[axis], dtype=np.int64) * step).reshape(form)


def _rows(value: Any) -> Any:
    """A tensor's numbers at index 0 of the last axis, in 64 bits."""
    base = value.base if isinstance(value, Affine) else value
    if isinstance(base, np.ndarray):
        base = base.astype(np.int64, copy=False)
    if isinstance(value, Affine):
        for axis, step in enumerate(value.steps[:-1]):
            if step:
                base = base + _along(axis, value.shape, step)
    return base


def _clipped(value: Any, size: int) -> Any:
    return least(most(value, 0), size)
