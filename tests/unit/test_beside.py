"""Two lots of runs beside each other: known values, ties, and what chance does."""

from __future__ import annotations

import math

import pytest

from fuzz.bench.beside import beside


def test_a_lot_that_is_always_ahead() -> None:
    """Of the 20 ways to deal out six runs two set them as far apart as this one, the other being its mirror."""
    found = beside([1, 2, 3], [4, 5, 6])
    assert found.a12 == 1
    assert found.p == pytest.approx(2 / math.comb(6, 3), abs=0.01)
    assert beside([4, 5, 6], [1, 2, 3]).a12 == 0


def test_ties_are_halves_and_prove_nothing() -> None:
    """Runs that were all given up, or all found at once, set nobody ahead."""
    assert beside([1000] * 20, [1000] * 20) == (0.5, 1.0)
    assert beside([1, 1, 5], [1]).a12 == pytest.approx(1 / 3)


def test_few_runs_can_never_be_sure() -> None:
    """Two runs against one: one way in three is as far apart at each end."""
    assert beside([1, 2], [3]).p == pytest.approx(2 / 3, abs=0.02)


def test_twenty_runs_that_are_slower_are_seen() -> None:
    """Twice as many cases in each of twenty runs: behind, and hardly by chance; the same runs again: by chance."""
    runs = [3 * number + 1 for number in range(20)]
    slower = beside([2 * one + 30 for one in runs], runs)
    assert slower.a12 < 0.2
    assert slower.p < 0.001
    assert beside(runs, runs[::-1]) == (0.5, 1.0)
