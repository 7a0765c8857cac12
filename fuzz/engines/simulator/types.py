"""Types of TTIR values: a shape, the element, and for pointers what they point to."""

from __future__ import annotations

import re
from functools import cache
from math import prod
from typing import NamedTuple

import numpy as np

from fuzz.engines.simulator.faults import Unsupported

BITS = {
    "i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64,
    "f16": 16, "bf16": 16, "f32": 32, "f64": 64,
    "f8E4M3FN": 8, "f8E5M2": 8, "f8E4M3FNUZ": 8, "f8E5M2FNUZ": 8, "f8E4M3B11FNUZ": 8,
}  # fmt: skip
"""Bits of an element. A float is held as the integer of its bits: it is moved, never computed with."""

INTEGERS = {1: np.bool_, 8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}

_DTYPES = {bits: np.dtype(kind) for bits, kind in INTEGERS.items()}
_TENSOR = re.compile(r"tensor<((?:\d+x)+)(.*)>")
_COMMA = re.compile(r", (?![^<]*>)")
_POINTER = re.compile(r"!tt\.ptr<([^,>]+)(?:, \d+)?>")


class Type(NamedTuple):
    """Type of a value.

    Attributes:
        shape: extents of a tensor; empty for a scalar.
        element: name of the element, ``i64`` for a pointer.
        pointee: what a pointer points to, else None.
    """

    shape: tuple[int, ...]
    element: str
    pointee: str | None = None

    @property
    def bits(self) -> int:
        """Bits of an element."""
        return BITS[self.element]

    @property
    def dtype(self) -> np.dtype:
        """How NumPy holds an element."""
        return _DTYPES[self.bits]

    @property
    def lanes(self) -> int:
        """Elements of the tensor; 1 for a scalar."""
        return prod(self.shape)

    @property
    def pointed(self) -> Type:
        """Type of what lies behind a pointer."""
        return Type(self.shape, self.pointee or "")


@cache
def parse_type(text: str) -> Type:
    """Read a type as TTIR writes it, for instance ``tensor<128x!tt.ptr<i32>>``.

    Raises:
        Unsupported: if it is none that the simulator holds.
    """
    element = text.strip()
    shape: tuple[int, ...] = ()
    tensor = _TENSOR.fullmatch(element)
    if tensor:
        shape, element = tuple(map(int, tensor[1][:-1].split("x"))), tensor[2]
    pointer = _POINTER.fullmatch(element)
    if pointer and pointer[1] in BITS:
        return Type(shape, "i64", pointer[1])
    if element not in BITS:
        raise Unsupported(f"type {text}")
    return Type(shape, element)


def listed_types(text: str) -> list[Type]:
    """Read a list of types, in parentheses or not, separated by commas outside of angle brackets."""
    return [parse_type(part) for part in _COMMA.split(text.strip().removeprefix("(").removesuffix(")"))]


def pointee_bytes(kind: Type) -> int:
    """Bytes of what a pointer points to; a boolean takes one."""
    return max(kind.pointed.bits // 8, 1)
