"""Pairs of features: which are new, which are rare, and what share of a profile's they are."""

from __future__ import annotations

import sys

import msgspec
import pytest

from fuzz.build import numbered
from fuzz.features import Seen, drawn_from, features, pairs

A, B, C = ("a", 1), ("b", "x"), ("b", "y")


def test_pairs_are_each_two_features_once() -> None:
    """In one order, whatever order they came in; two values of a name are a pair, one feature is none."""
    assert pairs([B, A, C]) == {(A, B), (A, C), (B, C)} == pairs(frozenset([C, B, A]))
    assert pairs([A]) == frozenset()


def test_new_pairs_are_those_that_no_case_showed() -> None:
    """Asking counts nothing; adding does."""
    seen = Seen()
    assert seen.new([A, B]) == {(A, B)} == seen.new([A, B])
    assert seen.add([A, B]) == {(A, B)}
    assert seen.add([A, B]) == frozenset() == seen.new([A, B])
    assert seen.add([A, B, C]) == {(A, C), (B, C)}
    assert (len(seen), seen.cases) == (3, 3)


def test_rare_pairs_are_counted_by_cases() -> None:
    """A pair is as rare as the cases that showed it are few."""
    seen = Seen()
    for found in ([A, B], [A, B], [A, B, C]):
        seen.add(found)
    assert seen.rare(0) == frozenset()
    assert seen.rare(1) == {(A, C), (B, C)} == seen.rare(2)
    assert seen.rare(3) == {(A, B), (A, C), (B, C)}


def test_counts_go_from_process_to_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where features have other numbers the same is read: what is new, how often the rest was met, how many cases."""
    one, two = [("a", 1), ("b", "x"), ("c", 2)], [("b", "x"), ("a", 1), ("d", 7)]
    seen = Seen()
    seen.add(one)
    seen.add(two)
    written = seen.encode()
    rare, estimate = seen.rare(1), seen.estimate()
    module = sys.modules["fuzz.features.pairs"]
    monkeypatch.setattr(module, "_numbers", {})
    monkeypatch.setattr(module, "_features", [])
    pairs([*reversed(two), ("z", 1), *reversed(one)])
    again = Seen.decode(written)
    assert (len(again), again.cases, again.rare(1), again.estimate()) == (5, 2, rare, estimate)
    assert again.add(one) == frozenset()
    assert again.add([("c", 2), ("d", 7)]) == {(("c", 2), ("d", 7))}
    assert Seen.decode(written).encode() == written
    with pytest.raises(msgspec.MsgspecError):
        Seen.decode(written[:-1])


def test_what_was_met_once_tells_of_what_was_not() -> None:
    """No pair met only once: nothing is missing; only such pairs: many are."""
    often, once = Seen(), Seen()
    for number in range(10):
        often.add([A, B])
        once.add([A, ("b", number)])
    assert often.estimate() == 1
    assert once.estimate() == 10 + 10 * 9 / 2


def test_cover_never_passes_all_of_it() -> None:
    """None, half, all, and more than was drawn: 0, 50, 100 and 100 percent at the most."""
    drawn, seen = Seen(), Seen()
    for _ in range(3):
        drawn.add([A, B])
        drawn.add([A, C])
    assert seen.cover(drawn) == 0
    seen.add([A, B])
    assert seen.cover(drawn) == 50
    seen.add([A, C])
    assert seen.cover(drawn) == 100
    seen.add([B, C])
    assert seen.cover(drawn) == 100
    assert Seen().cover(Seen()) == 0


@pytest.mark.parametrize("profile", ["small", "far", "exhaustive"])
def test_the_estimate_does_not_shrink_as_cases_come(profile: str) -> None:
    """More cases show more pairs, an estimate from a part is no less than what it saw, and cover grows."""
    drawn, seen = drawn_from(profile, 400, seed=1), Seen()
    covers = []
    for index in range(400):
        seen.add(features(numbered(2, index, (profile,))[0]))
        if index in (20, 100, 399):
            covers.append(seen.cover(drawn))
            assert seen.estimate() >= len(seen)
    assert 0 < covers[0] < covers[1] < covers[2] <= 100
    assert drawn.cases == 400
