"""Survival estimates, held against textbook figures."""

from __future__ import annotations

from math import sqrt

import pytest

from fuzz.bench.scoreboard_rows import runs_of
from fuzz.bench.survival import NORMAL, Run, curve, median, restricted_mean

REMISSION = [
    *((weeks, True) for weeks in (6, 6, 6, 7, 10, 13, 16, 22, 23)),
    *((weeks, False) for weeks in (6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35)),
]
"""Weeks in remission of 21 patients on 6-mercaptopurine (Freireich and others, 1963)."""


def test_the_curve_is_that_of_the_textbook() -> None:
    """Kaplan and Meier's estimate of a published series comes out as published."""
    found = {step.cases: round(step.surviving, 4) for step in curve([Run(*pair) for pair in REMISSION])}
    assert found == {6: 0.8571, 7: 0.8067, 10: 0.7529, 13: 0.6902, 16: 0.6275, 22: 0.5378, 23: 0.4482}
    assert median([Run(*pair) for pair in REMISSION]) == 23


def test_without_censoring_the_mean_is_the_mean() -> None:
    """Where every run finds the fault, estimate and interval are those of plain numbers."""
    cases = [1, 2, 2, 7, 40]
    mean, low, high = restricted_mean([Run(one, found=True) for one in cases], 1000)
    assert mean == pytest.approx(sum(cases) / 5)
    deviation = sqrt(sum((one - mean) ** 2 for one in cases)) / 5
    assert high - mean == pytest.approx(NORMAL * deviation, rel=1e-6)
    assert low == pytest.approx(max(mean - NORMAL * deviation, 0))


def test_what_is_never_found_counts_up_to_the_limit() -> None:
    """A run without a find counts as the limit, and half of them leave no median."""
    runs = [Run(1000, found=False), Run(1000, found=False), Run(10, found=True)]
    assert median(runs) is None
    assert restricted_mean(runs, 1000)[0] == pytest.approx((10 + 1000 + 1000) / 3)
    assert restricted_mean(runs[:2], 1000) == (1000, 1000, 1000)


@pytest.mark.parametrize("count", range(1, 61))
def test_half_of_the_runs_is_the_median(count: int) -> None:
    """If just half of the runs find it, one after the other, the last of their finds is the median; one fewer, none."""
    half = -(-count // 2)
    for found, expected in ((half, half), (half - 1, None)):
        runs = [Run(cases, found=True) for cases in range(1, found + 1)]
        runs += [Run(1000, found=False)] * (count - found)
        assert median(runs) == expected


def test_what_is_never_found_outlasts_late_finds() -> None:
    """A suite that is at its end without a find is no find later either, however late another one comes."""
    found = [(10, True), (5000, True), (113_060, False), (113_060, False), (0, False)]
    runs = runs_of([{"cases": cases, "found": one} for cases, one in found], 1000)
    assert median(runs) is None
    assert [step.surviving for step in curve(runs)] == pytest.approx([0.8, 0.6])
    assert restricted_mean(runs, 1000)[0] == pytest.approx((10 + 4 * 1000) / 5)


def test_a_short_suite_without_a_find_counts_up_to_the_limit() -> None:
    """Ten cases without a find are as good as a thousand."""
    assert runs_of([{"cases": 10, "found": False}, {"cases": 3, "found": True}], 1000) == [(1000, False), (3, True)]
