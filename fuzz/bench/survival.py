"""Survival until the first find: Kaplan and Meier's estimate, its median, and the mean up to a limit.

A run that ends without a find says only that the fault survived so long; leaving it out, or counting it as found at
the end, would flatter whoever finds little.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from typing import NamedTuple

NORMAL = 1.959964
"""Standard errors to each side that hold 95 % of a normal distribution."""


class Run(NamedTuple):
    """Cases up to the first find, or up to where it was given up."""

    cases: int
    found: bool


class Step(NamedTuple):
    """The share of runs that have found nothing after so many cases, and what the estimate was made from."""

    cases: int
    surviving: float
    at_risk: int
    found: int


def curve(runs: Sequence[Run]) -> list[Step]:
    """Kaplan and Meier's estimate, a step for each number of cases at which something was found.

    Shares are multiplied as fractions: of floats half of the runs may come out as a little more than half.
    """
    surviving, steps = Fraction(1), []
    for cases in sorted({run.cases for run in runs if run.found}):
        at_risk = sum(run.cases >= cases for run in runs)
        found = sum(run.found and run.cases == cases for run in runs)
        surviving *= 1 - Fraction(found, at_risk)
        steps.append(Step(cases, float(surviving), at_risk, found))
    return steps


def median(runs: Sequence[Run]) -> int | None:
    """Cases after which half of the runs have found it; None if fewer than half ever did."""
    return next((step.cases for step in curve(runs) if step.surviving <= 0.5), None)


def restricted_mean(runs: Sequence[Run], limit: int) -> tuple[float, float, float]:
    """The mean number of cases up to the first find, each counted up to ``limit``, and its 95 % interval.

    It is the area below the curve up to the limit; its variance is Greenwood's.
    """
    steps = [step for step in curve(runs) if step.cases <= limit]
    starts = [0, *(step.cases for step in steps)]
    heights = [1.0, *(step.surviving for step in steps)]
    ends = [*starts[1:], limit]
    areas = [height * (end - start) for start, end, height in zip(starts, ends, heights, strict=True)]
    variance = 0.0
    for number, step in enumerate(steps):
        if step.at_risk > step.found:
            rest = sum(areas[number + 1 :])
            variance += rest**2 * step.found / (step.at_risk * (step.at_risk - step.found))
    mean, margin = sum(areas), NORMAL * sqrt(variance)
    return mean, max(mean - margin, 0.0), min(mean + margin, float(limit))
