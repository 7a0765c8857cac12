"""The written form of id lists."""

from __future__ import annotations

import pytest

from fuzz.ids import Ids


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", []),
        ("3", [3]),
        ("0-3", [0, 1, 2, 3]),
        ("3-1", [3, 2, 1]),
        ("5*3", [5, 5, 5]),
        ("-1", [-1]),
        ("-3--1", [-3, -2, -1]),
        ("7,0-2,4*2", [7, 0, 1, 2, 4, 4]),
    ],
)
def test_each_form_reads_and_writes_back(text: str, values: list[int]) -> None:
    """Single ids, ranges both ways and repeats read as their list, and are written as they were."""
    ids = Ids.parse(text)
    assert ids.tolist() == values
    assert str(ids) == text
    assert len(ids) == len(values)


@pytest.mark.parametrize(
    "text", ["x", "1-", "1,,2", "1*1", "1*0", "1.5", " 1", "²", "0*99999999", "4611686018427387904"]
)
def test_what_is_no_list_is_refused(text: str) -> None:
    """A part that is no id, range or repeat, or lists beyond their bounds, is an error."""
    with pytest.raises(ValueError, match="ids"):
        Ids.parse(text)


def test_distinct_ids_are_sorted_and_single() -> None:
    """Repeats and order do not matter to which blocks are meant."""
    assert Ids.parse("4,1-3,2*100,3-1").distinct().tolist() == [1, 2, 3, 4]


def test_a_long_repeat_is_cheap() -> None:
    """Sixteen million equal ids are one run, and one distinct block."""
    ids = Ids.parse("0*16777216")
    assert len(ids) == 2**24
    assert ids.distinct().tolist() == [0]
