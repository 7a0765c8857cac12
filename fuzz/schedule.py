"""Which attempts are left: one row of them, cut into slices that workers take and hand back."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import NamedTuple

SHORT, LONG = 256, 2048
"""Attempts of a slice: in a run of few, so that no worker sits long on the last one while others idle; in a long
one, so that a GPU's worker, which makes a thousand in a quarter of a second, seldom has to let its last batch land
before it asks for the next."""

MANY = 100_000
"""Attempts of a run that is long."""


class Work(NamedTuple):
    """Attempts ``first`` to ``stop``, all of them of one slice."""

    slice: int
    first: int
    stop: int


class Schedule:
    """The attempts of a run, each of them handed out until somebody says that it is done.

    Args:
        stop: attempts in all, or None without an end.
        floor: slices that are finished, all from the first one on.
        following: where unfinished slices at or above the floor go on; a finished one ends at its end.

    Attributes:
        floor: as above; it rises as slices are finished.
    """

    def __init__(self, stop: int | None, floor: int = 0, following: Mapping[int, int] | None = None) -> None:
        self.floor = floor
        self._stop = stop
        self._slice = SHORT if stop is not None and stop < MANY else LONG
        self._following = dict(following or {})
        self._fresh = max(self._following, default=floor - 1) + 1
        begun = range(floor, self._fresh)
        self._rests = [number for number in begun if self._at(number) < self._end(number)]
        self._out = 0
        self._fold()

    def take(self) -> Work | None:
        """The next piece: the rest of a slice that was left unfinished, else a slice that nobody had."""
        if self._rests:
            number = heapq.heappop(self._rests)
        elif self._begin(self._fresh) < self._end(self._fresh):
            number = self._fresh
            self._fresh += 1
        else:
            return None
        self._out += 1
        return Work(number, self._at(number), self._end(number))

    def hand_back(self, work: Work, following: int) -> None:
        """Take a piece back of which all attempts before ``following`` are done."""
        self._out -= 1
        self._following[work.slice] = following
        if following < work.stop:
            heapq.heappush(self._rests, work.slice)
        self._fold()

    @property
    def finished(self) -> bool:
        """Whether nothing is left and nobody has any of it."""
        return not self._out and not self._rests and self._begin(self._fresh) >= self._end(self._fresh)

    def _fold(self) -> None:
        while self._following.get(self.floor, -1) >= self._end(self.floor):
            del self._following[self.floor]
            self.floor += 1

    def _at(self, number: int) -> int:
        return self._following.get(number, self._begin(number))

    def _begin(self, number: int) -> int:
        return number * self._slice

    def _end(self, number: int) -> int:
        end = (number + 1) * self._slice
        return end if self._stop is None else min(end, self._stop)
