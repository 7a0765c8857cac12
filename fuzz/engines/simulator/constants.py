"""Constants as TTIR writes them: numbers, booleans, floats in decimal or as bits, and splats of them."""

from __future__ import annotations

import re

import numpy as np

from fuzz.engines.simulator.faults import Unsupported
from fuzz.engines.simulator.integers import wrap
from fuzz.engines.simulator.types import Type

_DENSE = re.compile(r"dense<(.*)>")
_ATTRIBUTES = re.compile(r"^\{[^}]*\}\s*")
_BOOLEANS = {"true": True, "false": False}


def read_constant(text: str, kind: Type) -> int:
    """The one number that a constant holds, a float as its bits.

    Raises:
        Unsupported: if its elements differ, or are floats of a format that nobody needed yet.
    """
    bare = _ATTRIBUTES.sub("", text)
    dense = _DENSE.fullmatch(bare)
    number = dense[1] if dense else bare
    if number in _BOOLEANS:
        return _BOOLEANS[number]
    if number.startswith(("[", '"')):
        raise Unsupported(f"a constant of different elements: {bare[:60]}")
    if kind.element[0] in "fb" and not number.startswith("0x"):
        return _bits(float(number), kind.element)
    return wrap(int(number, 0), kind.bits)


def _bits(value: float, element: str) -> int:
    if value == 0 and not np.signbit(value):
        return 0
    if element == "bf16":
        bits = int(np.float32(value).view(np.int32))
        return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    widths = {"f16": ("f2", "i2"), "f32": ("f4", "i4"), "f64": ("f8", "i8")}
    if element not in widths:
        raise Unsupported(f"the {element} constant {value}")
    of_float, of_bits = widths[element]
    return int(np.array(value, of_float).view(of_bits))
