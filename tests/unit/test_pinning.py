"""What a run's first worker decides holds for all of its later parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz import messages
from fuzz.errors import UsageError
from fuzz.journal import Journal
from fuzz.pinning import decided, facts, pinned
from fuzz.plan import Plan

OPEN = Plan(("t",), (), 0, Path())
HERE = messages.Opened("simulator", "CPU", "mi300x", {"t": 8}, {"t": "table"})
ELSEWHERE = messages.Opened("cuda", "GPU", "h200", {"t": 4}, {"t": "layout"}, 1)


def test_what_a_plan_says_is_not_decided_again() -> None:
    """Only what it leaves open is."""
    plan = Plan(("t",), ("far",), 0, Path(), cases=7, workers=3, unit=16)
    assert decided(plan, HERE, alone=False) == decided(plan, HERE, alone=True) == plan
    open_plan = decided(OPEN, HERE, alone=True)
    assert (open_plan.profiles, open_plan.unit, open_plan.cases, open_plan.workers) == (
        ("small", "launch", "far"), 8, None, 1,
    )  # fmt: skip


def test_an_enumeration_has_no_more_cases_than_it_counts() -> None:
    """Whatever was asked for."""
    for asked, cases in ((None, 113_060), (10**9, 113_060), (5, 5)):
        plan = Plan(("t",), ("exhaustive",), 0, Path(), cases=asked, unit=4)
        assert decided(plan, HERE, alone=True).cases == cases


def test_a_later_part_on_another_machine_draws_and_judges_the_same() -> None:
    """Engine, device profile, profiles and unit stay; a target that takes another thing by now is refused."""
    journal = Journal()
    assert pinned(OPEN, journal) == OPEN
    first = decided(OPEN, HERE, alone=True)
    journal.state(facts(first, HERE))
    later = pinned(OPEN, journal)
    assert (later.engine, later.device_profile) == ("simulator", "mi300x")
    assert (later.profiles, later.unit) == (first.profiles, first.unit)
    with pytest.raises(UsageError, match="target t takes a layout"):
        decided(later, ELSEWHERE, alone=True)
