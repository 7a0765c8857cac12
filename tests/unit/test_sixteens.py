"""Counts of ids in multiples of sixteen: on every other warm case, and nowhere else."""

from __future__ import annotations

import pytest

from fuzz.build import WARM_EVERY, drawn, numbered
from fuzz.case import Call, Case, Segment
from fuzz.ids import Ids
from fuzz.profiles import BY_NAME
from fuzz.rules import broken_rule
from fuzz.sixteens import rounded_up


def _case(*lists: str) -> Case:
    calls = tuple(Call("zero", Ids.parse(text)) for text in lists)
    return Case(schema=1, domain="contract", guard=256, segments=(Segment(0, 8, 4, 4),), calls=calls)


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        (("3",), ("3,3*15",)),
        (("0-6,5-1",), ("0-6,5-1,1*4",)),
        (("", "2", "3"), ("", "2,2*15", "3")),
        (("0*16", "3"), ("0*16", "3")),
        (("",), ("",)),
    ],
)
def test_the_first_list_with_ids_gets_a_multiple_of_sixteen(lists: tuple[str, ...], expected: tuple[str, ...]) -> None:
    """Its last id comes again; empty lists, lists that have one, and later calls stay."""
    case = rounded_up(_case(*lists))
    assert [call.ids.tolist() for call in case.calls] == [Ids.parse(text).tolist() for text in expected]


@pytest.mark.parametrize("profile", BY_NAME)
def test_every_other_warm_case_is_rounded_up(profile: str) -> None:
    """The others are as drawn, and all are legal."""
    for index in range(0, 20 * WARM_EVERY, WARM_EVERY):
        case, plain = numbered(3, index, (profile,))[0], drawn(3, index, (profile,))[0]
        assert case == (rounded_up(plain) if index // WARM_EVERY % 2 else plain)
        assert broken_rule(case) is None


def test_warm_cases_ask_for_all_three_classes() -> None:
    """Among the first hundred warm cases of the usual profiles each class of counts comes often."""
    counts = [
        len(call.ids)
        for index in range(0, 100 * WARM_EVERY * 3, WARM_EVERY * 3)
        for call in numbered(5, index, ("small", "launch", "far"))[0].calls
    ]
    classes = [sum(count == 1 for count in counts), sum(count > 0 and count % 16 == 0 for count in counts)]
    assert all(number > 10 for number in (*classes, len(counts) - sum(classes)))
