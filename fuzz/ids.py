"""Block-id lists as they are written: ``3``, ``0-9``, ``9-0``, ``0*46346``, joined by commas."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

MOST = 2**24
"""Most ids in one list: the first count that no HIP device launches with four warps."""

LARGEST = 2**62
"""Ids lie below this in absolute value, so that differences of two fit in int64."""

_PART = re.compile(r"(-?\d{1,19})(?:-(-?\d{1,19})|\*(\d{1,19}))?", re.ASCII)


class Run(NamedTuple):
    """Consecutive ids from ``first`` to ``last``, up or down, or one id ``times`` over."""

    first: int
    last: int
    times: int = 1

    def __len__(self) -> int:
        return (abs(self.last - self.first) + 1) * self.times

    def __str__(self) -> str:
        if self.times > 1:
            return f"{self.first}*{self.times}"
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


class Ids:
    """A list of block ids, held as runs, so that 65,536 of them cost as little as one.

    A plain class, because msgspec would write a dataclass as an object instead of as text.
    """

    __slots__ = ("runs",)

    def __init__(self, runs: tuple[Run, ...] = ()) -> None:
        self.runs = runs

    @classmethod
    def of(cls, values: Iterable[int]) -> Ids:
        """Single ids, one run each."""
        return cls(tuple(Run(value, value) for value in values))

    @classmethod
    def parse(cls, text: str) -> Ids:
        """Read the written form; the empty text is the empty list.

        Raises:
            ValueError: naming the part that is no id, range or repeat, or is out of bounds.
        """
        if not text:
            return cls()
        ids = cls(tuple(_run(part) for part in text.split(",")))
        if len(ids) > MOST:
            raise ValueError(f"ids={text[:40]!r}: {len(ids)} ids; a call holds at most {MOST}")
        return ids

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ids) and self.runs == other.runs

    def __hash__(self) -> int:
        return hash(self.runs)

    def __repr__(self) -> str:
        return f"Ids.parse({str(self)!r})"

    def __str__(self) -> str:
        return ",".join(map(str, self.runs))

    def __len__(self) -> int:
        return sum(map(len, self.runs))

    def __bool__(self) -> bool:
        return bool(self.runs)

    @property
    def low(self) -> int:
        """The smallest id; the list must not be empty."""
        return min(low for low, _ in self.stretches())

    @property
    def high(self) -> int:
        """The largest id; the list must not be empty."""
        return max(high for _, high in self.stretches())

    def stretches(self) -> list[tuple[int, int]]:
        """The smallest and the largest id of each run."""
        return [(min(first, last), max(first, last)) for first, last, _ in self.runs]

    def distinct(self) -> np.ndarray:
        """The ids without repeats, ascending, int64 ``[n]``."""
        pieces = [np.arange(low, high + 1, dtype=np.int64) for low, high in self.stretches()]
        return np.unique(np.concatenate(pieces)) if pieces else np.empty(0, np.int64)

    def tolist(self) -> list[int]:
        """The whole list as a caller would pass it."""
        values: list[int] = []
        for first, last, times in self.runs:
            if times > 1:
                values += [first] * times
            elif first <= last:
                values += range(first, last + 1)
            else:
                values += range(first, last - 1, -1)
        return values


def _run(part: str) -> Run:
    match = _PART.fullmatch(part)
    if match is None:
        raise ValueError(f"ids part {part!r}: must be an id, a range a-b or a repeat a*n with n >= 2")
    first = int(match[1])
    last = int(match[2]) if match[2] is not None else first
    times = int(match[3]) if match[3] is not None else 1
    if match[3] is not None and times < 2:
        raise ValueError(f"ids part {part!r}: a repeat a*n needs n >= 2; write the id alone")
    if max(abs(first), abs(last)) >= LARGEST:
        raise ValueError(f"ids part {part!r}: an id lies below 2^62 in absolute value")
    if max(times, abs(last - first)) > MOST:
        raise ValueError(f"ids part {part!r}: a call holds at most {MOST} ids")
    return Run(first, last, times)
