"""Two finders beside each other on one fault: which needs fewer cases, and how easily chance alone would say so.

A run without a find counts as the limit where it was given up, which ties it with every other such run; both
figures are made for ties.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

SHUFFLES = 9_999
"""Times that runs are dealt out anew: p is told in steps of a ten-thousandth."""


class Beside(NamedTuple):
    """How one lot of runs stands beside another.

    Attributes:
        a12: Vargha and Delaney's measure: the share of pairs, a run of each, in which the first needs fewer cases, ties
            as half; 0.5 where neither is ahead.
        p: the share of ways to deal the runs out to both at random that set them at least as far apart.
    """

    a12: float
    p: float


def beside(one: Sequence[int], other: Sequence[int]) -> Beside:
    """Cases of each run of two finders, neither of them empty."""
    runs = np.array([*one, *other])
    less = (runs[:, None] < runs[None, :]).astype(float) + (runs[:, None] == runs[None, :]) / 2
    first = np.zeros((SHUFFLES + 1, len(runs)))
    first[:, : len(one)] = 1
    dealt = np.random.default_rng(0).permuted(first, axis=1)
    dealt[0] = first[0]
    shares = np.einsum("si,ij,sj->s", dealt, less, 1 - dealt, optimize=True) / (len(one) * len(other))
    apart = np.abs(shares - 0.5)
    return Beside(float(shares[0]), float(np.mean(apart >= apart[0] - 1e-9)))
