"""Tensors that are not written out: numbers that grow evenly along each axis, and runs of a mask.

``pid * 1024 + arange(0, 1024)`` is one number for each program and a step of 1; ``offsets < page`` is
one stretch of lanes for each program. Held so, a store of a whole page costs as much as one of an
element. Every operation on them is exact or gives None, never wraps: what could leave its width is
done on written-out arrays, which wrap as hardware does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzz.engines.simulator.faults import TooWide
from fuzz.engines.simulator.integers import limits

MOST_ELEMENTS = 2**24
"""Elements of a tensor, over all programs at once, that are written out: 128 MB of 64-bit numbers."""

_SAFE = 2**61
"""Differences of numbers below this stay in 64 bits."""


@dataclass(frozen=True, eq=False, slots=True)
class Affine:
    """``base + sum(steps[k] * index[k])``, without overflow.

    Attributes:
        base: one number, or an array ``[programs or 1, extent or 1, ...]`` with extent 1 on each axis
            that has a step.
        steps: growth along each axis.
        shape: extents of the tensor.
        bits: width of an element.
        low: no element is smaller.
        high: no element is larger.
    """

    base: Any
    steps: tuple[int, ...]
    shape: tuple[int, ...]
    bits: int
    low: int
    high: int


@dataclass(frozen=True, eq=False, slots=True)
class Span:
    """A mask that holds from ``low`` to before ``high`` along the last axis.

    ``low`` and ``high`` are a number or an array ``[programs or 1, extent or 1, ..., 1]``, from 0 to the
    axis's extent.
    """

    low: Any
    high: Any
    shape: tuple[int, ...]


def counting(start: int, stop: int) -> Affine:
    """``arange(start, stop)`` in 32 bits."""
    return Affine(start, (1,), (stop - start,), 32, start, stop - 1)


def extent(value: Any) -> tuple[int, int]:
    """The smallest and the largest element."""
    if isinstance(value, Affine):
        return value.low, value.high
    if isinstance(value, int):
        return value, value
    return int(value.min()), int(value.max())


def even(value: Any, like: Affine) -> Affine | None:
    """A plain number or array as an affine tensor of another's shape; None if it varies along a step."""
    if isinstance(value, Affine):
        return value
    if isinstance(value, np.ndarray) and any(
        step and size > 1 for step, size in zip(like.steps, value.shape[1:], strict=True)
    ):
        return None
    if isinstance(value, int) or value.dtype != np.bool_:
        return Affine(value, (0,) * len(like.shape), like.shape, like.bits, *extent(value))
    return None


def pair(a: Any, b: Any) -> tuple[Affine, Affine] | None:
    """Both as affine tensors in which no axis has a step in one and extents in the other."""
    if isinstance(a, Span) or isinstance(b, Span):
        return None
    like = a if isinstance(a, Affine) else b
    a, b = even(a, like), even(b, like)
    if a is None or b is None or not (_apart(a.steps, b.base) and _apart(b.steps, a.base)):
        return None
    return a, b


def add(a: Any, b: Any) -> Affine | None:
    """Sum of two tensors, one of them affine."""
    both = pair(a, b)
    if both is None:
        return None
    a, b = both
    steps = tuple(x + y for x, y in zip(a.steps, b.steps, strict=True))
    low, high = a.low + b.low, a.high + b.high
    return _exact(low, high, a.bits) and Affine(a.base + b.base, steps, a.shape, a.bits, low, high)


def subtract(a: Any, b: Any) -> Affine | None:
    """Difference of two tensors, one of them affine."""
    both = pair(a, b)
    if both is None:
        return None
    a, b = both
    steps = tuple(x - y for x, y in zip(a.steps, b.steps, strict=True))
    low, high = a.low - b.high, a.high - b.low
    return _exact(low, high, a.bits) and Affine(a.base - b.base, steps, a.shape, a.bits, low, high)


def multiply(a: Any, b: Any) -> Affine | None:
    """Product of an affine tensor with one number."""
    if isinstance(a, int):
        a, b = b, a
    if not isinstance(b, int) or not isinstance(a, Affine):
        return None
    low, high = sorted((a.low * b, a.high * b))
    return _exact(low, high, a.bits) and Affine(
        a.base * b, tuple(step * b for step in a.steps), a.shape, a.bits, low, high
    )


def widen(a: Affine, bits: int) -> Affine | None:
    """The same numbers in another width; None if they do not fit."""
    if not _exact(a.low, a.high, bits):
        return None
    base = a.base if isinstance(a.base, int) else a.base.astype(np.dtype(f"i{bits // 8}"))
    return Affine(base, a.steps, a.shape, bits, a.low, a.high)


def below(predicate: str, a: Any, b: Any) -> Span | None:
    """The lanes for which ``a < b`` (or ``le``, ``gt``, ``ge``), where that is one stretch for each row."""
    both = pair(a, b)
    if both is None or predicate not in _MIRRORED:
        return None
    a, b = both
    if b.steps[-1]:
        a, b, predicate = b, a, _MIRRORED[predicate]
    step, size = a.steps[-1], a.shape[-1]
    if step <= 0 or b.steps[-1] or _varies(a.base) or _varies(b.base):
        return None
    if max(map(abs, (a.low, a.high, b.low, b.high))) >= _SAFE:
        return None
    room = _rows(b) - _rows(a)
    if predicate in ("lt", "ge"):
        room = room - 1
    cut = _clipped(room // step + 1 if step > 1 else room + 1, size)
    return Span(0, cut, a.shape) if predicate in ("lt", "le") else Span(cut, size, a.shape)


_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def both(a: Any, b: Any) -> Any:
    """``a and b`` of masks, one of them a span; None if that is no span."""
    if isinstance(b, Span) and not isinstance(a, Span):
        a, b = b, a
    if isinstance(b, Span):
        return Span(_most(a.low, b.low), _least(a.high, b.high), a.shape)
    if isinstance(b, bool | int):
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
        result = value.base
        for axis, step in enumerate(value.steps):
            if step:
                result = result + _along(axis, value.shape, step)
        check_width(result, value.shape)
        return result if isinstance(result, int) else result.astype(np.dtype(f"i{value.bits // 8}"), copy=False)
    if isinstance(value, Span):
        check_width(value.high, value.shape)
        lanes = _along(len(value.shape) - 1, value.shape, 1)
        return (lanes >= value.low) & (lanes < value.high)
    return value


def check_width(value: Any, shape: tuple[int, ...]) -> None:
    """Refuse to write out a tensor of that shape for all programs of ``value`` at once.

    Raises:
        TooWide: if there is more than one program and too much memory would be used.
    """
    programs = len(value) if isinstance(value, np.ndarray) else 1
    if programs > 1 and programs * int(np.prod(shape)) > MOST_ELEMENTS:
        raise TooWide


def _along(axis: int, shape: tuple[int, ...], step: int) -> np.ndarray:
    form = [1] * (len(shape) + 1)
    form[axis + 1] = shape[axis]
    return (np.arange(shape[axis], dtype=np.int64) * step).reshape(form)


def _rows(value: Affine) -> Any:
    """A tensor's numbers at index 0 of the last axis, in 64 bits."""
    base = value.base if isinstance(value.base, int) else value.base.astype(np.int64, copy=False)
    for axis, step in enumerate(value.steps[:-1]):
        if step:
            base = base + _along(axis, value.shape, step)
    return base


def _exact(low: int, high: int, bits: int) -> bool | None:
    least, most = limits(bits)
    return (least <= low and high <= most) or None


def _apart(steps: tuple[int, ...], base: Any) -> bool:
    if isinstance(base, int):
        return True
    return not any(step and size > 1 for step, size in zip(steps, base.shape[1:], strict=True))


def _varies(base: Any) -> bool:
    return not isinstance(base, int) and base.shape[-1] > 1


def _clipped(value: Any, size: int) -> Any:
    return min(max(value, 0), size) if isinstance(value, int) else np.clip(value, 0, size)


def _most(a: Any, b: Any) -> Any:
    return max(a, b) if isinstance(a, int) and isinstance(b, int) else np.maximum(a, b)


def _least(a: Any, b: Any) -> Any:
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else np.minimum(a, b)
