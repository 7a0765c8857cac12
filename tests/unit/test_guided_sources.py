"""Sources of a guided search: mutants stay legal and near what they come from, a stretch leaves something out."""

from __future__ import annotations

from collections import Counter

import pytest

from fuzz.build import build, trace
from fuzz.guided.mutant import Mutant
from fuzz.guided.pool import Kept, Pool
from fuzz.guided.swarm import Swarm
from fuzz.guided.ways import MUTANT, PLAIN, WAYS, source
from fuzz.profiles import BY_NAME
from fuzz.rules import broken_rule
from fuzz.source import Recorder

DRAWN = ("small", "launch", "far", "layout")


def _kept(profile: str, seed: int) -> list[int]:
    return trace(build(Recorder(seed), profile), profile)


@pytest.mark.parametrize("profile", BY_NAME)
def test_mutants_are_legal_and_can_be_traced(profile: str) -> None:
    """Whatever is changed, a profile draws only what it may, and its numbers can be shrunk like those of any case."""
    for seed in range(120):
        case = build(Mutant(Recorder(seed), _kept(profile, seed), _kept(profile, seed + 1)), profile)
        assert broken_rule(case) is None
        trace(case, profile)


@pytest.mark.parametrize("profile", DRAWN)
def test_mutants_differ_and_most_choices_stay(profile: str) -> None:
    """Few mutants are the case that they come from, and half of all have most of its choices."""
    near = same = 0
    for seed in range(200):
        kept = _kept(profile, seed)
        mutant = trace(build(Mutant(Recorder(1000 + seed), kept, kept), profile), profile)
        alike = sum((Counter(kept) & Counter(mutant)).values())
        same += mutant == kept
        near += alike >= 0.75 * len(kept)
    assert same < 200 / 3
    assert near > 100


def test_a_splice_has_the_head_of_one_case_and_the_tail_of_another() -> None:
    """In some mutants both show: low numbers first, high ones after them."""
    both = 0
    for seed in range(200):
        mutant = Mutant(Recorder(seed), [1] * 30, [900] * 30)
        values = [mutant.integer(0, 1000) for _ in range(30)]
        both += values.count(1) > 5 and values.count(900) > 5 and values[0] <= 2 and values[-1] > 2
    assert 20 < both < 80


def test_choices_outside_their_range_become_its_nearer_end() -> None:
    """Nothing is refused: a choice that was made in a wider range is as far as it can be."""
    low, high = Mutant(Recorder(0), [-5] * 100, ()), Mutant(Recorder(0), [10**9] * 100, ())
    assert Counter(low.integer(10, 99) for _ in range(100)).most_common(1)[0][0] == 10
    assert Counter(high.repeat(10, 99) for _ in range(100)).most_common(1)[0][0] == 99


def test_a_mutant_draws_on_where_choices_end() -> None:
    """Past its choices it draws as a recorder does: in range, boundaries among them."""
    drawn = [Mutant(Recorder(seed), [], []).integer(0, 2**20) for seed in range(200)]
    assert 0 <= min(drawn) < max(drawn) <= 2**20
    assert len(set(drawn)) > 50


def test_nothing_is_drawn_where_there_is_no_choice() -> None:
    """Ranges of one value use up no choice, so that the others stay in step."""
    mutant, swarm = Mutant(Recorder(4), [7] * 9, ()), Swarm(Recorder(4), 1)
    again, other = Mutant(Recorder(4), [7] * 9, ()), Swarm(Recorder(4), 1)
    assert [mutant.integer(3, 3), mutant.repeat(4, 4), swarm.integer(5, 5)] == [3, 4, 5]
    assert [mutant.integer(0, 99) for _ in range(9)] == [again.integer(0, 99) for _ in range(9)]
    assert [swarm.integer(0, 99) for _ in range(9)] == [other.integer(0, 99) for _ in range(9)]


def test_a_stretch_leaves_something_out_and_all_stretches_together_nothing() -> None:
    """Within a stretch some value of a range hardly comes; which one differs; every value comes in some stretch."""
    rare = set()
    for stretch in range(40):
        drawn = Counter(Swarm(Recorder(seed), stretch).integer(0, 4) for seed in range(300))
        rare |= {value for value in range(5) if drawn[value] < 40}
        assert all(value in drawn for value in range(5)), "two draws in five are free"
    assert rare == set(range(5))


@pytest.mark.parametrize("profile", DRAWN)
def test_swarm_cases_are_legal(profile: str) -> None:
    """What is left out makes no illegal case."""
    cases = [build(Swarm(Recorder(seed), seed // 16), profile) for seed in range(120)]
    assert [broken_rule(case) for case in cases] == [None] * 120


def test_ways_take_turns_by_number() -> None:
    """Mutants come only where something is kept; a plain turn draws what it drew without a pool."""
    full = Pool([Kept("small", tuple(_kept("small", 5)))])
    for turn, way in enumerate(WAYS):
        bare, guided = (build(source(1, turn, turn, pool, "small"), "small") for pool in (Pool(), full))
        assert (bare != guided) == (way == MUTANT)
        if way in (PLAIN, MUTANT):
            assert bare == build(Recorder((1 << 40) + turn), "small")
