"""The rule of compiled variants, on planted classes: what is new, and which argument is named for it."""

from __future__ import annotations

import pytest

from oracles.variants import UNKNOWN, WHOLE_KERNEL, Variant, added, constant, integer, pointer


def _variant(key: str, kernel: str = "clear", **classes: str) -> Variant:
    return Variant(kernel, key, classes)


ONE = _variant("one", ids="*i64", n=integer(1), WIDTH=constant(4))
TWO = _variant("two", ids="*i64", n=integer(2), WIDTH=constant(4))
SIXTEEN = _variant("sixteen", ids="*i64", n=integer(16), WIDTH=constant(4))
WIDER = _variant("wider", ids="*i64", n=integer(2), WIDTH=constant(8))


@pytest.mark.parametrize(
    ("value", "options", "expected"),
    [
        (1, {}, "the constant 1"),
        (0, {}, "i32, a multiple of 16"),
        (-16, {}, "i32, a multiple of 16"),
        (17, {}, "i32"),
        (2**31 - 1, {}, "i32"),
        (2**31, {}, "i64, a multiple of 16"),
        (2**31 + 1, {}, "i64"),
        (2**63 + 1, {}, "u64"),
        (1, {"specialised": False}, "i32"),
        (16, {"specialised": False}, "i32"),
        (2**31, {"specialised": False}, "i64"),
        (1, {"divisibility": False}, "the constant 1"),
        (16, {"divisibility": False}, "i32"),
    ],
)
def test_classes_of_an_integer(value: int, options: dict[str, bool], expected: str) -> None:
    """One, multiples of 16 and the rest, by width; less where a kernel asks for less."""
    assert integer(value, **options) == expected


def test_classes_of_a_pointer() -> None:
    """The element's type, and whether the address is a multiple of 16."""
    assert pointer("int64", 4096) == "*int64, aligned to 16 bytes"
    assert pointer("int64", 4104) == "*int64"
    assert pointer("int64", 4096, specialised=False) == pointer("int64", 4096, divisibility=False) == "*int64"


def test_nothing_is_new_if_every_key_was_there() -> None:
    """Also in another order, again, or not at all."""
    assert added([ONE, TWO], [TWO, ONE, TWO]) is None
    assert added([ONE], []) is None
    assert added([], []) is None


def test_the_key_decides_and_not_the_class() -> None:
    """A class that changed under the same key compiled nothing; a new key under the same classes did."""
    assert added([ONE], [TWO._replace(key="one")]) is None
    change = added([ONE], [ONE._replace(key="other")])
    assert change is not None
    assert (change.argument, change.words) == (
        UNKNOWN,
        "clear was compiled again after the warm-up, for arguments of the same classes",
    )


@pytest.mark.parametrize(
    ("before", "after", "argument"),
    [
        ([ONE], TWO, "n"),
        ([ONE, TWO], SIXTEEN, "n"),
        ([TWO], WIDER, "WIDTH"),
        ([ONE, TWO], WIDER, "WIDTH"),
        ([ONE], WIDER, "n"),
        ([ONE], _variant("p", ids="*i64, aligned to 16 bytes", n=integer(2), WIDTH=constant(4)), "ids"),
        ([ONE], _variant("w", ids="*i64", n=integer(1), WIDTH=constant(4), num_warps=constant(8)), "num_warps"),
        ([ONE], TWO._replace(kernel="other"), WHOLE_KERNEL),
        ([], TWO, WHOLE_KERNEL),
    ],
)
def test_the_argument_is_named(before: list[Variant], after: Variant, argument: str) -> None:
    """That of the nearest earlier variant of the kernel, the first in order of the signature."""
    change = added(before, [*before, after])
    assert change is not None
    assert (change.kernel, change.argument) == (after.kernel, argument)


def test_the_words_tell_both_classes() -> None:
    """What the argument is, and what the warm-up had."""
    change = added([ONE, TWO], [SIXTEEN])
    assert change is not None
    assert (
        change.words == "clear was compiled for n: i32, a multiple of 16; the nearest that was warm had the constant 1"
    )
    whole = added([], [ONE])
    assert whole is not None
    assert whole.words == "clear was launched, which the warm-up had not compiled at all"
