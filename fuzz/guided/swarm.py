"""Stretches of cases that leave something out: what a case lacks lets other things show.

Swarm testing (Groce et al. 2012), for draws without names: a range of few values decides how a case is made, such as
whether one more segment comes or where it lies. Each such range keeps a random part of its values for a whole
stretch, and how often boundaries are drawn differs from stretch to stretch.
"""

from __future__ import annotations

from _random import Random
from functools import lru_cache

from fuzz.source import FEW, Recorder

STRETCH = 16
"""Cases that leave out the same."""

FREE = 0.4
"""Of so many draws nothing is left out, so that no list grows without an end."""

LOWEST, OTHER = 0.75, 0.5
"""How often a value is kept. The lowest ends a list: where it is left out as often as others, cases are two and a half
times as heavy as usual, and find more in a case, but not in a second."""

BOUNDARIES = (0.0, 0.25, 0.5)
"""How often a wide range gives a boundary, beyond the usual."""


class Swarm:
    """A source whose ranges of few values are parts of themselves.

    Args:
        recorder: decides the case.
        stretch: decides what is left out; equal for all cases of a stretch.
    """

    def __init__(self, recorder: Recorder, stretch: int) -> None:
        self._recorder = recorder
        self._random = recorder.random
        self._stretch = stretch
        self._bold = _boldness(stretch)

    def integer(self, low: int, high: int) -> int:
        """Of few values one of those that the stretch keeps; a boundary as often as it says."""
        if high - low < FEW:
            if low == high or self._random() < FREE:
                return self._recorder.integer(low, high)
            kept = _kept(self._stretch, low, high)
            return kept[int(self._random() * len(kept))]
        return self._wide(low, high)

    def repeat(self, low: int, high: int) -> int:
        """A count, as ever."""
        return self._recorder.repeat(low, high)

    def _wide(self, low: int, high: int) -> int:
        if self._random() < self._bold:
            return self._recorder.boundary(low, high)
        return self._recorder.integer(low, high)


@lru_cache(64)
def _boldness(stretch: int) -> float:
    return BOUNDARIES[int(Random(stretch).random() * len(BOUNDARIES))]


@lru_cache(1024)
def _kept(stretch: int, low: int, high: int) -> tuple[int, ...]:
    """The values of a range that a stretch keeps, one at the least."""
    random = Random((stretch << 64) + (low << 8) + high - low).random
    values = range(low, high + 1)
    kept = tuple(value for value in values if random() < (OTHER if value > low else LOWEST))
    return kept or (values[int(random() * len(values))],)
