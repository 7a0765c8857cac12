"""Operations that change a tensor's shape: splat, broadcast, expand_dims, reshape, transpose, reduce.

A tensor is an array ``[programs or 1, extent or 1, ...]``, a lazy tensor, or one number for all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fuzz.engines.simulator.affine import Affine, Span, check_width, written_out


def splat(value: Any, shape: tuple[int, ...]) -> Any:
    """One number of each program for all lanes."""
    return value if isinstance(value, int) else value.reshape((-1,) + (1,) * len(shape))


def expand_dims(value: Any, axis: int, shape: tuple[int, ...]) -> Any:
    """A new axis of extent 1; ``shape`` is the tensor's after it."""
    if isinstance(value, int):
        return value
    if isinstance(value, Affine):
        base = value.base if isinstance(value.base, int) else np.expand_dims(value.base, axis + 1)
        steps = (*value.steps[:axis], 0, *value.steps[axis:])
        return Affine(base, steps, shape, value.bits)
    if isinstance(value, Span) and axis < len(value.shape):
        low, high = (end if isinstance(end, int) else np.expand_dims(end, axis + 1) for end in (value.low, value.high))
        return Span(low, high, shape)
    return np.expand_dims(written_out(value), axis + 1)


def broadcast(value: Any, shape: tuple[int, ...]) -> Any:
    """Axes of extent 1 stretched to those of ``shape``."""
    if isinstance(value, Affine):
        steps = tuple(0 if old == 1 else step for step, old in zip(value.steps, value.shape, strict=True))
        return Affine(value.base, steps, shape, value.bits)
    if isinstance(value, Span):
        return Span(value.low, value.high, shape) if value.shape[-1] == shape[-1] else written_out(value)
    return value


def reshape(value: Any, before: tuple[int, ...], after: tuple[int, ...]) -> Any:
    """The same elements in row-major order under another shape."""
    return value if isinstance(value, int) else whole(value, before).reshape(-1, *after)


def transpose(value: Any, shape: tuple[int, ...], order: tuple[int, ...]) -> Any:
    """Axes in another order."""
    if isinstance(value, int):
        return value
    return np.transpose(whole(value, shape), (0, *(axis + 1 for axis in order)))


def whole(value: Any, shape: tuple[int, ...], dtype: np.dtype | None = None) -> np.ndarray:
    """A tensor written out on all its lanes, ``[programs or 1, *shape]``."""
    plain = written_out(value)
    check_width(plain, shape)
    array = np.asarray(plain, dtype)
    if array.ndim <= len(shape):
        array = array.reshape((-1,) + (1,) * len(shape))
    return np.broadcast_to(array, (len(array), *shape))


def reduce(value: np.ndarray, axis: int, combine: Callable[[Any, Any], Any]) -> np.ndarray:
    """Fold an axis, whose extent is a power of two, by halves.

    Args:
        value: ``[programs or 1, *shape]``.
        axis: which axis of the shape.
        combine: gives the combination of two arrays.
    """
    moved = np.moveaxis(value, axis + 1, -1)
    while moved.shape[-1] > 1:
        half = moved.shape[-1] // 2
        moved = combine(moved[..., :half], moved[..., half:])
    return moved[..., 0]
