"""Operations on values, lazy where that is exact: what ``arith`` and pointer arithmetic mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fuzz.engines.simulator import affine, integers
from fuzz.engines.simulator.affine import Affine, Span, written_out
from fuzz.engines.simulator.types import Type, pointee_bytes
from fuzz.engines.simulator.width import refuse_wide

Function = Callable[..., Any]

LAZY = {"addi": affine.add, "subi": affine.subtract, "muli": affine.multiply}

lazily = True
"""Whether lazy tensors are used at all; off only to hold the lazy half against the written-out one."""


def binary(name: str, kind: Type) -> Function:
    """``arith.addi`` and the like on values of a type."""
    plain = wide(integers.binary(name, kind.bits), kind.lanes)
    lazy = LAZY.get(name)
    if name == "andi" and kind.bits == 1:
        lazy = affine.both
    if lazy is None or not kind.shape:
        return _plainly(plain) if kind.shape else plain

    def apply(a: Any, b: Any) -> Any:
        if isinstance(a, Affine | Span) or isinstance(b, Affine | Span):
            result = lazy(a, b)
            return plain(written_out(a), written_out(b)) if result is None else result
        return plain(a, b)

    return apply


def compare(predicate: str, kind: Type) -> Function:
    """``arith.cmpi`` of two values of a type."""
    plain = wide(integers.comparison(predicate, kind.bits), kind.lanes)
    if not kind.shape:
        return plain

    def apply(a: Any, b: Any) -> Any:
        if isinstance(a, Affine) or isinstance(b, Affine):
            span = affine.below(predicate[1:], a, b) if predicate[0] == "s" else None
            return plain(written_out(a), written_out(b)) if span is None else span
        return plain(a, b)

    return apply


def select(kind: Type) -> Function:
    """``arith.select``; the condition may be one boolean for a whole tensor."""

    def apply(condition: Any, a: Any, b: Any) -> Any:
        if isinstance(condition, bool):
            return a if condition else b
        condition = written_out(condition)
        if kind.shape and condition.ndim == 1:
            condition = condition.reshape((-1,) + (1,) * len(kind.shape))
        return np.where(condition, written_out(a), written_out(b)).astype(kind.dtype, copy=False)

    return wide(apply, kind.lanes)


def cast(name: str, source: Type, target: Type) -> Function:
    """``arith.extsi`` and the like."""
    if source.bits == target.bits:
        return lambda value: value
    plain = integers.cast(name, source.bits, target.bits)
    if not target.shape:
        return plain

    def apply(value: Any) -> Any:
        if isinstance(value, Affine) and target.bits > 1 and name != "extui":
            result = affine.resize(value, target.bits)
            if result is not None:
                return result
        return plain(written_out(value))

    return apply


def advance(pointer: Type, offset: Type) -> Function:
    """``tt.addptr``: a pointer moved by that many elements."""
    size = pointee_bytes(pointer)
    if not pointer.shape:

        def advance_scalar(address: Any, distance: Any) -> Any:
            if isinstance(distance, np.ndarray):
                return address + distance.astype(np.int64, copy=False) * size
            address = address + integers.wrap(distance * size, 64)
            return address if isinstance(address, np.ndarray) else integers.wrap(address, 64)

        return advance_scalar
    to_wide = cast("extsi", offset, offset._replace(element="i64"))
    scaled = binary("muli", offset._replace(element="i64"))
    moved = binary("addi", pointer)
    return lambda address, distance: moved(address, scaled(to_wide(distance), size))


def wide(function: Function, lanes: int) -> Function:
    """A function of written-out values that is asked for fewer programs where it takes too much memory."""
    if lanes == 1:
        return function

    def apply(*values: Any) -> Any:
        refuse_wide(max(len(value) if isinstance(value, np.ndarray) else 1 for value in values), lanes)
        return function(*values)

    return apply


def _plainly(function: Function) -> Function:
    return lambda *values: function(*map(written_out, values))
