"""Where the numbers of a case come from: a seed, a list of recorded choices, Hypothesis."""

from __future__ import annotations

from _random import Random  # the core of random.Random: the same numbers, made faster
from collections.abc import Sequence
from math import log2
from typing import Protocol

FEW = 16
"""Ranges up to this wide are drawn evenly; wider ones lean to boundaries and to small numbers."""

_NEAR = (-1, 0, 1)


class Source(Protocol):
    """Draws numbers; with ``low == high`` nothing is drawn."""

    def integer(self, low: int, high: int) -> int:
        """A number from ``low`` to ``high``, both included."""

    def repeat(self, low: int, high: int) -> int:
        """A count from ``low`` to ``high``, drawn as one number however large it is."""


class Recorder:
    """A random source that is decided by its seed.

    One draw in seven lands on a boundary: an end of the range, a power of two or a multiple of 16,
    or a neighbour of one. Launch limits are such numbers: 65,535 and 2^31-1 among them.

    Attributes:
        random: the stream that everything is drawn from.
    """

    def __init__(self, seed: int) -> None:
        self.random = Random(seed).random

    def integer(self, low: int, high: int) -> int:
        """Evenly over a few values; else a boundary, a small number or any, by 1, 5 and 1 in 7."""
        random = self.random
        span = high - low
        if span < FEW:
            return low + int(random() * (span + 1)) if span else low
        draw = random() * 7
        if draw >= 6:
            return low + int(random() * (span + 1))
        return low + self._small(span) if draw >= 1 else self.boundary(low, high)

    def repeat(self, low: int, high: int) -> int:
        """A boundary in two of five, else a number whose logarithm is even."""
        if low == high:
            return low
        if self.random() < 0.4:
            return self.boundary(low, high)
        return low + self._small(high - low)

    def _small(self, span: int) -> int:
        drawn = int(2.0 ** (self.random() * log2(span + 1))) - 1
        if drawn > span:  # the power was rounded up
            return span
        return drawn

    def boundary(self, low: int, high: int) -> int:
        """An end of the range, a power of two or a multiple of 16, or next to one."""
        kind = self.random()
        if kind < 0.2:
            value = low if kind < 0.1 else high
        elif kind < 0.8:
            powers = range(max(low, 1).bit_length() - 1, high.bit_length() + 1)
            value = (1 << powers[int(self.random() * len(powers))]) + _NEAR[int(self.random() * 3)]
        else:
            value = low + int(self.random() * (high - low + 1)) // 16 * 16 + _NEAR[int(self.random() * 3)]
        return min(max(value, low), high)


class Choices:
    """Gives back recorded choices in order; used to check that a trace builds its case again."""

    def __init__(self, choices: Sequence[int]) -> None:
        self._rest = iter(choices)

    def integer(self, low: int, high: int) -> int:
        """The next recorded choice.

        Raises:
            ValueError: if it does not lie in the range, or none is left.
        """
        if low == high:
            return low
        value = next(self._rest, None)
        if value is None or not low <= value <= high:
            raise ValueError(f"choice={value}: must be {low} to {high}; the trace is of another case")
        return value

    repeat = integer


class Trace:
    """Writes down the choices that lead to a known case; the mirror of a source.

    Each method takes the value that the case has where a source would draw one.
    """

    def __init__(self) -> None:
        self.choices: list[int] = []

    def integer(self, low: int, high: int, value: int) -> int:
        """Note ``value``, unless nothing would be drawn.

        Raises:
            Untraceable: if no source could have drawn it.
        """
        if not low <= value <= high:
            raise Untraceable(f"{value} lies outside {low} to {high}")
        if low != high:
            self.choices.append(value)
        return value

    repeat = integer


class Untraceable(Exception):  # noqa: N818 - an answer, not a failure: the case lies outside the profile
    """No choices of this profile build the case."""
