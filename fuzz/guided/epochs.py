"""Epochs: stretches of case numbers, each with a pool that stays as it is; each is twice as long as the one before."""

from __future__ import annotations

from collections.abc import Sequence

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


def looked_at(epoch: int, turns: int, looks: int) -> Sequence[int]:
    """Cases of an epoch, evenly spread over it: so many, or all if it hardly has more.

    Profiles take turns by number, so the looks do: each goes to the next profile of ``turns``. A step from
    number to number could miss some of them for good, as an even one does with two profiles.
    """
    first, stop = first_of(epoch), first_of(epoch + 1)
    rounds = range(-(-first // turns), stop // turns)
    if len(rounds) * turns <= looks:
        return range(first, stop)
    return [rounds[look * len(rounds) // looks] * turns + look % turns for look in range(looks)]
