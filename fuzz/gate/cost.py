"""What a target costs against its base: one figure from many paired timings, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import comb, exp, log
from statistics import fmean, median
from typing import NamedTuple

from fuzz.bench.pair import Pair

GROUPS = 20
"""Every geometry's rounds are cut into so many groups, each of which gives an estimate by itself."""

USUAL = 4.0
"""Median deviations from a geometry's median that a ratio may have; beyond that the device did something else."""

COARSE = 0.1
"""The least that counts as usual, in logarithms: short calls are timed in steps of some per cent."""

SURE = 0.995
"""How sure the interval is, at least."""


class Cost(NamedTuple):
    """Device time of the target over the base's, as part of the base's: 0.05 is five per cent slower.

    Attributes:
        more: the geometric mean over all geometries.
        low: lower end of its interval.
        high: upper end.
        geometries: the same by geometry.
        programs: for each useful chunk, the target's and the base's, over all geometries.
    """

    more: float
    low: float
    high: float
    geometries: dict[str, float]
    programs: tuple[float, float]


def cost(pairs: Sequence[Pair]) -> Cost:
    """The cost from the timings of the target, first, and the base.

    A group's estimate is the geometric mean over the geometries. The interval is made of the groups by their order
    alone, so it holds whatever the noise is like.
    """
    groups = {pair.geometry: _groups(pair) for pair in pairs}
    together = sorted(map(fmean, zip(*groups.values(), strict=True)))
    cut = outermost(GROUPS)
    chunks = sum(pair.chunks for pair in pairs)
    programs = [sum(pair.programs[which] for pair in pairs) / chunks for which in (0, 1)]
    return Cost(
        _more(median(together)),
        _more(together[cut]),
        _more(together[-cut - 1]),
        {name: _more(median(group)) for name, group in groups.items()},
        (programs[0], programs[1]),
    )


def outermost(groups: int) -> int:
    """How many estimates at each end may be left out of an interval of the median that is sure enough.

    The median lies outside of what is left only if all but fewer than so many fall on one side of it: a coin thrown
    ``groups`` times.
    """
    cut = 0
    while 2 * sum(comb(groups, few) for few in range(cut + 2)) / 2**groups <= 1 - SURE:
        cut += 1
    return cut


def _groups(pair: Pair) -> list[float]:
    """An estimate a group: the mean logarithm of its ratios, none of them farther off than is usual."""
    ratios = [log(target / base) for target, base in zip(*pair.seconds, strict=True)]
    middle = median(ratios)
    most = max(USUAL * median(abs(ratio - middle) for ratio in ratios), COARSE)
    held = [min(max(ratio, middle - most), middle + most) for ratio in ratios]
    edges = [len(held) * number // GROUPS for number in range(GROUPS + 1)]
    return [fmean(held[first:stop]) for first, stop in pairwise(edges)]


def _more(logarithm: float) -> float:
    return exp(logarithm) - 1
