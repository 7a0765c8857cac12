"""Planners with historical faults are found on drawn layouts; right ones are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fuzz.build import numbered
from fuzz.checking import Checker

FILE = Path(__file__).parent.parent / "planted_planners.py"
FAULTS = {
    "page_for_stride": {"clobbered"},
    "whole_slab": {"clobbered", "stale"},
    "wrong_ratio": {"clobbered", "stale"},
    "first_page": {"stale"},
    "exact_type": {"stale", "skipped"},
    "keys_only": {"stale"},
    "no_runner_only": {"clobbered"},
}
OLD = {
    "first_planner": {"rejected:constructor", "clobbered:padding", "stale:whole page"},
    "block_stride_planner": {"stale:tail", "stale:whole page", "clobbered:other block"},
}
RIGHT = ("right", "wide")
CASES = 300


def _locator(name: str) -> str:
    return f"{FILE}:{name}"


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    """A worker with all of them."""
    names = [_locator(name) for name in (*FAULTS, *RIGHT)]
    one = Checker((*names, *OLD, "KVBlockZeroer", "masked_grid"), "simulator")
    yield one
    one.close()


def _labels(checker: Checker, target: str, count: int = CASES) -> set[str]:
    return {checker.attempt(numbered(2, index, ("layout",))[0], target).label() for index in range(count)}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(checker: Checker, name: str) -> None:
    """Within sixty cases, and it shows as nothing else but what such a fault does."""
    labels = _labels(checker, _locator(name), 60) - {"passed"}
    assert labels
    assert {label.partition(":")[0] for label in labels} <= FAULTS[name]


@pytest.mark.parametrize("name", OLD)
def test_an_old_planner_shows_its_faults(checker: Checker, name: str) -> None:
    """All that history reports of it, among others."""
    assert OLD[name] <= _labels(checker, name)


@pytest.mark.parametrize("target", [*map(_locator, RIGHT), "KVBlockZeroer"])
def test_a_right_planner_passes(checker: Checker, target: str) -> None:
    """Also the one that clears a wider span, as upstream does: the oracle allows what a block owns."""
    assert _labels(checker, target) == {"passed"}


def test_a_target_of_tables_declines_layouts(checker: Checker) -> None:
    """And says why."""
    verdict = checker.attempt(numbered(2, 0, ("layout",))[0], "masked_grid")
    assert (verdict.outcome, verdict.text) == ("declined", "the target takes a table, the case has layers")
