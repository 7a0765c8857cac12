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
    assert asked(seconds=34.5).sizes_on("simulator") == (50, 31, 0)  # half of what is left when all is loaded
    assert asked(seconds=1).sizes_on("simulator") == asked(seconds=9).sizes_on("simulator") == (2, 2, 0)
    assert asked(mode="batch", seconds=68.1).sizes_on("simulator") == (100, 60, 1)
    assert asked().sizes_on("cuda") == (0, 0, 0)


def test_a_limit_on_cost_takes_its_time_from_a_short_gate() -> None:
    """What is timed before all cases leaves less time for them; a whole minute has as many of them as without it."""
    sizes = dict.fromkeys((("change", "cuda"), ("change", "simulator")), Sizes(30_000, 10_000, 300))
    asked = partial(Request, "a", "b", Path(), Path(), sizes=sizes)
    assert asked(cost_limit=3.0).sizes_on("cuda") == asked().sizes_on("cuda") == (30_000, 10_000, 300)
    assert asked(seconds=36, cost_limit=3.0).sizes_on("cuda") == (15_000, 5_000, 150)
    assert asked(seconds=12).sizes_on("cuda") == (1765, 589, 18)
    assert asked(seconds=12, cost_limit=3.0).sizes_on("cuda") == (600, 200, 6)
    assert asked(seconds=12, cost_limit=3.0).sizes_on("simulator") == (1765, 589, 18), "nothing is timed there"


def test_a_short_gate_starts_few_workers() -> None:
    """Loading another one takes as long as thousands of cases; a long gate takes all that the machine bears."""
    asked = partial(Request, "a", None, Path(), Path())
    assert [asked(seconds=seconds).lanes_on("cuda") for seconds in (0.1, 12, 60)] == [1, 1, 3]
    assert asked(mode="batch").lanes_on("cuda") == 95
    assert [asked(seconds=seconds).lanes_on("simulator") for seconds in (5, 60)] == [1, 9]
