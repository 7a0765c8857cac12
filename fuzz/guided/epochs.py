"""Epochs: stretches of case numbers, each with a pool that stays as it is; each is twice as long as the one before."""

from __future__ import annotations

FIRST = 64
"""Cases of the first epoch: a run of a minute on a laptop has a pool after a tenth of a second."""

LONGEST = 2**17
"""Cases of an epoch at the most: so many are a second of a large machine."""

_DOUBLINGS = (LONGEST // FIRST).bit_length() - 1
_LONG_FROM = LONGEST - FIRST
"""The first case of the first epoch that is as long as the next."""


def epoch_of(index: int) -> int:
    """The epoch of a case."""
    if index >= _LONG_FROM:
        return _DOUBLINGS + (index - _LONG_FROM) // LONGEST
    return (index // FIRST + 1).bit_length() - 1


def first_of(epoch: int) -> int:
    """The first case of an epoch."""
    if epoch >= _DOUBLINGS:
        return _LONG_FROM + (epoch - _DOUBLINGS) * LONGEST
    return FIRST * ((1 << epoch) - 1)
