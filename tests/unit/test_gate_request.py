"""What a gate is asked: its seed, its cases, its workers."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from fuzz.gate.request import Request, Sizes, seed_of


def test_the_seed_is_what_the_two_are_made_of() -> None:
    """The same contents give the same seed, any other another."""
    assert seed_of("a", "b") == seed_of("a", "b")
    assert len({seed_of("a", "b"), seed_of("b", "a"), seed_of("a", ""), seed_of("c", "b")}) == 4


def test_a_shorter_gate_has_the_first_of_the_same_cases() -> None:
    """Less time asks for as much fewer cases, in whole ones, loading left out; more time asks for no more."""
    sizes = {("change", "simulator"): Sizes(100, 61), ("batch", "simulator"): Sizes(1000, 600, 7)}
    asked = partial(Request, "a", None, Path(), Path(), sizes=sizes)
    assert asked().sizes_on("simulator") == asked(seconds=180).sizes_on("simulator") == (100, 61, 0)
    assert asked(seconds=34).sizes_on("simulator") == (50, 31, 0)  # half of what is left when all is loaded
    assert asked(seconds=1).sizes_on("simulator") == asked(seconds=8).sizes_on("simulator") == (2, 2, 0)
    assert asked(mode="batch", seconds=67.2).sizes_on("simulator") == (100, 60, 1)
    assert asked().sizes_on("cuda") == (0, 0, 0)


def test_a_short_gate_starts_few_workers() -> None:
    """Loading another one takes as long as thousands of cases; a long gate takes all that the machine bears."""
    asked = partial(Request, "a", None, Path(), Path())
    assert [asked(seconds=seconds).lanes_on("cuda") for seconds in (0.1, 12, 60)] == [1, 1, 3]
    assert asked(mode="batch").lanes_on("cuda") == 95
    assert [asked(seconds=seconds).lanes_on("simulator") for seconds in (5, 60)] == [1, 9]
