"""Stretches of cases that leave something out: what a case lacks lets other things show.

Swarm testing (Groce et al. 2012), for draws without names: a range of few values decides how a case is made, such as
whether one more segment comes or where it lies. Each such range keeps a random part of its values for a whole
stretch, and how often boundaries are drawn differs from stretch to stretch.
"""

from __future__ import annotations

from functools import lru_cache

from fuzz.source import FEW, Recorder

STRETCH = 16
"""Cases that leave out the same."""

FREE = 0.4
"""Of so many draws nothing is left out, so that no list grows without an end."""

LOWEST, OTHER = 3, 2
"""How often of four a value is kept. The lowest ends a list: where it is left out as often as others, cases are two and
a half times as heavy as usual, and find more in a case, but not in a second."""

_BITS = 2**64 - 1

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
        self._bold = BOUNDARIES[_mixed(stretch) % len(BOUNDARIES)]

    def integer(self, low: int, high: int) -> int:
        """Of few values one of those that the stretch keeps; a boundary as often as it says."""
        span = high - low
        if span >= FEW:
            bold = self._bold and self._random() < self._bold
            return self._recorder.boundary(low, high) if bold else self._recorder.integer(low, high)
        if not span:
            return low
        draw = self._random() - FREE
        if draw < 0:
            return low + int((draw / FREE + 1) * (span + 1))
        kept = _kept(self._stretch, low, high)
        return kept[int(draw / (1 - FREE) * len(kept))]

    def repeat(self, low: int, high: int) -> int:
        """A count, as ever."""
        return self._recorder.repeat(low, high)


@lru_cache(1024)
def _kept(stretch: int, low: int, high: int) -> tuple[int, ...]:
    """The values of a range that a stretch keeps, one at the least."""
    bits = _mixed((stretch << 12) + (low << 6) + high - low)
    values = range(low, high + 1)
    kept = tuple(value for value in values if bits >> 2 * (value - low) & 3 < (OTHER if value > low else LOWEST))
    return kept or (values[(bits >> 2 * FEW) % len(values)],)


def _mixed(number: int) -> int:
    """64 bits that look random, at a tenth of what a generator takes to be seeded (the finish of SplitMix64)."""
    number = (number + 1) * 0x9E3779B97F4A7C15 & _BITS
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & _BITS
    number = (number ^ number >> 27) * 0x94D049BB133111EB & _BITS
    return number ^ number >> 31
