"""A kept case drawn again with a few choices changed.

The change is made where numbers are drawn and not on the case: whatever comes of it was built like any other case, so
it is legal, and shrinks through the same trace (the way of Zest, Padhye et al. 2019).
"""

from __future__ import annotations

from collections.abc import Sequence

from fuzz.source import Recorder

MOST_CHANGES = 8
"""A mutant has one change, and one more with even odds, up to so many."""

LEAP = 8
"""Most choices that a leap goes back or forth: those of a segment, or of a few ids."""

SPLICED = 0.25
"""Of so many mutants the rest is another case's."""


class Mutant:
    """A source that replays choices and changes some on its way.

    A change draws anew, takes a boundary, a neighbour, the double or the half, or leaps: choices that came before come
    again, or some are left out. A value that lies outside its range becomes the nearer end. What is drawn once
    all choices are used up is drawn as ever.

    Args:
        recorder: decides all that is not replayed.
        kept: choices of the case to start from.
        other: choices of another one, to splice.
    """

    def __init__(self, recorder: Recorder, kept: Sequence[int], other: Sequence[int]) -> None:
        self._recorder = recorder
        self._random = random = recorder.random
        self._at = 0
        if random() < SPLICED:
            part = random()
            kept = [*kept[: int(part * len(kept))], *other[int(part * len(other)) :]]
        self._choices = kept
        changes = 1
        while changes < MOST_CHANGES and random() < 0.5:
            changes += 1
        self._changed = {int(random() * len(kept)) for _ in range(changes)}

    def integer(self, low: int, high: int) -> int:
        """The next choice, perhaps changed."""
        if low == high:
            return low
        value = self._next(low, high)
        return self._recorder.integer(low, high) if value is None else value

    def repeat(self, low: int, high: int) -> int:
        """The next choice, perhaps changed; a new one is drawn as a count."""
        if low == high:
            return low
        value = self._next(low, high)
        return self._recorder.repeat(low, high) if value is None else value

    def _next(self, low: int, high: int) -> int | None:
        """A choice in its range, or None where one has to be drawn."""
        at = self._at
        if at >= len(self._choices):
            return None
        self._at = at + 1
        value = self._choices[at]
        if at in self._changed:
            self._changed.discard(at)
            changed = self._change(value, low, high)
            if changed is None:
                return None
            value = changed
        return min(max(value, low), high)

    def _change(self, value: int, low: int, high: int) -> int | None:
        kind = int(self._random() * 8)
        if kind < 3:
            return None
        if kind < 5:
            return self._recorder.boundary(low, high)
        if kind == 5:
            return value + (1 if self._random() < 0.5 else -1)
        if kind == 6:
            return value * 2 if self._random() < 0.5 else value // 2
        leap = int(self._random() * 2 * LEAP) - LEAP
        self._at = min(max(self._at + leap, 0), len(self._choices))
        return value
