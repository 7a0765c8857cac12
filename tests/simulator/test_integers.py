"""Integer operations at their width, against Python's own numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fuzz.engines.simulator.faults import Fault
from fuzz.engines.simulator.integers import binary, cast, comparison, wrap
from fuzz.engines.simulator.types import INTEGERS

NUMBERS = [0, 1, -1, 2, 3, 7, -7, 100, -128, 127, 2**15, -(2**15), 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)]


def _truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _positive(function: Callable[[int, int], int], bits: int) -> Callable[[int, int], int]:
    return lambda a, b: function(a % 2**bits, b % 2**bits)


def _meaning(name: str, bits: int) -> Callable[[int, int], int]:
    return {
        "addi": lambda a, b: a + b,
        "subi": lambda a, b: a - b,
        "muli": lambda a, b: a * b,
        "andi": lambda a, b: a & b,
        "ori": lambda a, b: a | b,
        "xori": lambda a, b: a ^ b,
        "divsi": _truncated,
        "remsi": lambda a, b: a - b * _truncated(a, b),
        "minsi": min,
        "maxsi": max,
        "divui": _positive(lambda a, b: a // b, bits),
        "remui": _positive(lambda a, b: a % b, bits),
        "minui": _positive(min, bits),
        "maxui": _positive(max, bits),
    }[name]


OPERATIONS = ["addi", "subi", "muli", "andi", "ori", "xori", "divsi", "remsi", "minsi", "maxsi", "divui", "remui",
              "minui", "maxui"]  # fmt: skip


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_wrap_at_their_width(name: str, bits: int) -> None:
    """Uniform numbers and arrays give what the definition gives, modulo the width."""
    values = sorted({wrap(number, bits) for number in NUMBERS})
    meaning, run = _meaning(name, bits), binary(name, bits)
    for b in values:
        if not b and name[:3] in ("div", "rem"):
            continue
        expected = [wrap(meaning(a, b), bits) for a in values]
        assert [run(a, b) for a in values] == expected
        assert run(np.array(values, INTEGERS[bits]), b).tolist() == expected
        assert run(np.array(values, INTEGERS[bits]), np.full(len(values), b, INTEGERS[bits])).tolist() == expected


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize(("name", "by"), [("shli", 5), ("shrsi", 5), ("shrui", 5)])
def test_shifts(name: str, by: int, bits: int) -> None:
    """An arithmetic shift keeps the sign, a logical one does not."""
    meaning = {"shli": lambda a: a << by, "shrsi": lambda a: a >> by, "shrui": lambda a: (a % 2**bits) >> by}[name]
    values = [wrap(number, bits) for number in NUMBERS]
    expected = [wrap(meaning(a), bits) for a in values]
    assert [binary(name, bits)(a, by) for a in values] == expected
    assert binary(name, bits)(np.array(values, INTEGERS[bits]), by).tolist() == expected


@pytest.mark.parametrize("predicate", ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"])
def test_comparisons(predicate: str) -> None:
    """Unsigned ones see -1 as the largest number."""
    key: Callable[[int], int] = (lambda a: a % 2**32) if predicate[0] == "u" else (lambda a: a)
    meaning: dict[str, Callable[[int, int], bool]] = {
        "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
        "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
    }  # fmt: skip
    values = [wrap(number, 32) for number in NUMBERS]
    run = comparison(predicate, 32)
    for b in values:
        expected = [meaning[predicate[-2:]](key(a), key(b)) for a in values]
        assert [run(a, b) for a in values] == expected
        assert run(np.array(values, np.int32), b).tolist() == expected


@pytest.mark.parametrize(
    ("name", "source", "target", "number", "expected"),
    [
        ("extsi", 32, 64, -5, -5),
        ("extsi", 1, 32, True, -1),
        ("extui", 1, 32, True, 1),
        ("extui", 32, 64, -1, 2**32 - 1),
        ("extui", 8, 32, -1, 255),
        ("trunci", 64, 32, 2**32 + 7, 7),
        ("trunci", 64, 32, 2**31, -(2**31)),
        ("trunci", 32, 1, 2, False),
        ("trunci", 32, 1, 3, True),
    ],
)
def test_casts(name: str, source: int, target: int, number: Any, expected: Any) -> None:
    """One number and an array of it."""
    run = cast(name, source, target)
    assert run(number) == expected
    array = run(np.array([number, number], INTEGERS[source]))
    assert array.tolist() == [expected, expected]
    assert array.dtype == INTEGERS[target]


def test_division_by_zero_is_a_fault() -> None:
    """A GPU gives something, and nobody says what."""
    for name in ("divsi", "remsi", "divui", "remui"):
        with pytest.raises(Fault, match="integer division by zero"):
            binary(name, 32)(np.array([4, 4], np.int32), np.array([2, 0], np.int32))
