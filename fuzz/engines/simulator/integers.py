"""Integers of the kernel's widths: uniform ones as Python ints, others as NumPy arrays that wrap.

A value that is the same for all programs and lanes is a plain ``int``, brought back into its width
after each operation; NumPy arrays wrap at theirs by themselves. Both are held signed, as two's
complement; booleans are ``bool``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from fuzz.engines.simulator.faults import Fault, Unsupported
from fuzz.engines.simulator.types import INTEGERS

Plain = int | np.ndarray
Function = Callable[[Any, Any], Any]


@cache
def limits(bits: int) -> tuple[int, int]:
    """The smallest and the largest signed number of that many bits."""
    return (0, 1) if bits == 1 else (-(1 << bits - 1), (1 << bits - 1) - 1)


def wrap(value: int, bits: int) -> int:
    """A number modulo ``2**bits``, signed."""
    if bits == 1:
        return bool(value & 1)
    half = 1 << bits - 1
    return (value + half) % (1 << bits) - half


def unsigned(value: Plain, bits: int) -> Any:
    """The same bits read as an unsigned number."""
    if isinstance(value, np.ndarray):
        return value if value.dtype == np.bool_ else value.view(np.dtype(f"u{value.dtype.itemsize}"))
    return value % (1 << bits)


def signed(value: Any, bits: int) -> Plain:
    """Back from unsigned."""
    if isinstance(value, np.ndarray):
        return value if value.dtype == np.bool_ else value.view(np.dtype(INTEGERS[bits]))
    return wrap(value, bits)


def _divide(a: Any, b: Any) -> Any:
    """Division that truncates, as hardware does; Python and NumPy floor."""
    _refuse_zero(b)
    if isinstance(a, int) and isinstance(b, int):
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    if isinstance(b, int) and b > 0 and np.min(a) >= 0:
        return a // b
    with np.errstate(over="ignore"):  # the smallest number by -1 wraps to itself
        quotient = a // b
    return quotient + ((quotient * b != a) & ((a < 0) != (b < 0)))


def _remainder(a: Any, b: Any) -> Any:
    """What :func:`_divide` leaves; it has the sign of the dividend."""
    _refuse_zero(b)
    if isinstance(a, int) and isinstance(b, int):
        return abs(a) % abs(b) * (1 if a >= 0 else -1)
    return np.fmod(a, b)


def _floor_unsigned(a: Any, b: Any) -> Any:
    _refuse_zero(b)
    return a // b


def _modulo_unsigned(a: Any, b: Any) -> Any:
    _refuse_zero(b)
    return a % b


def _refuse_zero(b: Any) -> None:
    if isinstance(b, int) and b:
        return
    zero = np.asarray(b) == 0
    if zero.any():
        raise Fault("assert", "integer division by zero, which a GPU leaves undefined", int(zero.argmax()))


def least(a: Any, b: Any) -> Any:
    """The smaller of two plain values, element by element."""
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else np.minimum(a, b)


def most(a: Any, b: Any) -> Any:
    """The larger of two plain values, element by element."""
    return max(a, b) if isinstance(a, int) and isinstance(b, int) else np.maximum(a, b)


SIGNED: dict[str, Function] = {
    "addi": operator.add, "subi": operator.sub, "muli": operator.mul,
    "divsi": _divide, "remsi": _remainder, "minsi": least, "maxsi": most,
    "andi": operator.and_, "ori": operator.or_, "xori": operator.xor,
}  # fmt: skip
"""Operations on signed numbers, or on bits alone."""

SHIFTS = ("shli", "shrsi", "shrui")

_OF_BITS = {"addi": "xori", "subi": "xori", "muli": "andi"}
"""What arithmetic is modulo 2."""

_BITWISE = ("andi", "ori", "xori")

UNSIGNED: dict[str, Function] = {
    "divui": _floor_unsigned, "remui": _modulo_unsigned, "minui": least, "maxui": most,
}  # fmt: skip
"""Operations that read their bits as unsigned numbers."""

COMPARISONS: dict[str, Function] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip


def binary(name: str, bits: int) -> Function:
    """An operation of ``arith`` on two plain values of that width."""
    if name in SHIFTS:
        return _shift(name, bits)
    if name in UNSIGNED:
        raw = UNSIGNED[name]
        return lambda a, b: signed(raw(unsigned(a, bits), unsigned(b, bits)), bits)
    if bits == 1:
        name = _OF_BITS.get(name, name)
        if name not in _BITWISE:
            raise Unsupported(f"arith.{name} of booleans")
    function = SIGNED[name]

    def apply(a: Plain, b: Plain) -> Plain:
        value = function(a, b)
        return wrap(value, bits) if type(value) is int else value

    return apply


def _shift(name: str, bits: int) -> Function:
    """A shift; by the width or more it leaves nothing but the sign, as hardware does."""
    left, logical = name == "shli", name == "shrui"

    def apply(a: Any, b: Any) -> Any:
        value, amount = (unsigned(a, bits) if logical else a), unsigned(b, bits)
        if isinstance(value, int) and isinstance(amount, int):
            by = min(amount, bits)
            return wrap(value << by if left else value >> by, bits)
        value = np.asarray(value, f"u{bits // 8}" if logical else INTEGERS[bits])
        by = np.minimum(amount, bits - 1).astype(value.dtype)
        shifted = value << by if left else value >> by
        beyond = np.zeros_like(value) if left or logical else value >> (bits - 1)
        return signed(np.where(np.asarray(amount) < bits, shifted, beyond), bits)

    return apply


def comparison(predicate: str, bits: int) -> Function:
    """``arith.cmpi`` with a predicate such as ``slt``, ``uge`` or ``eq``."""
    function = COMPARISONS[predicate[-2:]]
    if bits == 1 and predicate[0] == "s":
        raise Unsupported(f"arith.cmpi {predicate} of booleans")
    if predicate[0] == "u":
        return lambda a, b: function(unsigned(a, bits), unsigned(b, bits))
    return function


def cast(name: str, source: int, target: int) -> Callable[[Plain], Plain]:
    """``extsi``, ``extui``, ``trunci`` or ``index_cast`` from one width to another, in bits."""
    dtype = np.dtype(INTEGERS[target])

    def apply(value: Plain) -> Plain:
        if not isinstance(value, np.ndarray):
            number = value % (1 << source) if name == "extui" else -value if source == 1 else value
            return wrap(number, target)
        if target == 1:
            return (value & 1).astype(np.bool_)
        if name == "extui":
            wide: np.ndarray = unsigned(value, source).astype(dtype)
            return wide
        return -value.astype(dtype) if source == 1 else value.astype(dtype)

    return apply
