"""Programs of one launch that run in step: their numbers, and the values that they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fuzz.engines.simulator.affine import Affine, Span
from fuzz.engines.simulator.faults import Hang, Unsupported
from fuzz.engines.simulator.memory import Memory
from fuzz.engines.simulator.races import Writes

MOST_ROUNDS = 100_000
"""Rounds of loops in one slice of a launch before it is given up; each takes ten microseconds or more."""

MOST_LOOPED = 2**27
"""Rounds of all loops with bounds in a launch, which end for sure, counted for each program: some seconds."""

ROUND = 2**12
"""Programs that take as long as a round does by itself."""


@dataclass
class Launch:
    """What all programs of a launch share.

    Attributes:
        grid: programs in x, y and z.
        memory: what they may touch.
        writes: who wrote what, where the kernel's stores can disagree; else None.
        rounds: rounds of loops so far, of the programs at hand.
        looped: what the rounds of all loops with bounds come to.
    """

    grid: tuple[int, int, int]
    memory: Memory
    writes: Writes | None = None
    rounds: int = 0
    looped: int = 0

    def round(self) -> None:
        """Count one round of a loop.

        Raises:
            Hang: if there were too many.
        """
        self.rounds += 1
        if self.rounds > MOST_ROUNDS:
            raise Hang(MOST_ROUNDS)

    def loop(self, low: Any, high: Any, step: Any, programs: int) -> None:
        """Count a loop with bounds before it begins: numbers, or arrays ``[programs]``.

        Raises:
            Unsupported: if all such loops of the launch together would take too long.
        """
        rounds = int(np.max(np.ceil((np.asarray(high, np.float64) - low) / step)))
        self.looped += max(rounds, 0) * (ROUND + programs)
        if self.looped > MOST_LOOPED:
            raise Unsupported(f"a loop of {rounds} rounds; too many in all for {programs} programs")


@dataclass
class Frame:
    """Programs that are at the same place of a kernel.

    Attributes:
        launch: what they share with the others.
        values: their values by slot: a number, an array ``[programs, ...]`` or a lazy tensor.
        first: number of the first program.
        programs: how many there are.
        chosen: their places among the ``programs`` counted from ``first``, or None for all in a row.
    """

    launch: Launch
    values: list[Any]
    first: int
    programs: int
    chosen: np.ndarray | None = None
    _ids: dict[int, Any] = field(default_factory=dict)
    _numbers: np.ndarray | None = None

    def numbers(self) -> np.ndarray:
        """Numbers of the programs, x fastest, ``[programs]``, in 32 bits where they fit."""
        if self._numbers is None:
            dtype = np.int32 if self.first + self.programs <= 2**31 else np.int64
            if self.chosen is None:
                self._numbers = np.arange(self.first, self.first + self.programs, dtype=dtype)
            else:
                self._numbers = (self.first + self.chosen).astype(dtype)
        return self._numbers

    def program_id(self, axis: int) -> Any:
        """Their coordinate on an axis, int32."""
        found = self._ids.get(axis)
        if found is None:
            grid = self.launch.grid
            if grid[axis] == 1:
                found = 0
            else:
                x, y, z = grid
                below, above = ((1, y * z), (x, z), (x * y, 1))[axis]
                found = self.numbers()
                found = found // below if below > 1 else found
                found = found % grid[axis] if above > 1 else found
                found = int(found[0]) if self.programs == 1 else found.astype(np.int32, copy=False)
            self._ids[axis] = found
        return found

    def part(self, index: np.ndarray, live: Iterable[int]) -> Frame:
        """Some of the programs, with the values that are still needed."""
        values: list[Any] = [None] * len(self.values)
        if len(index) == 1:
            for slot in live:
                values[slot] = alone(take(self.values[slot], index))
        else:
            for slot in live:
                values[slot] = take(self.values[slot], index)
        chosen = index if self.chosen is None else self.chosen[index]
        return Frame(self.launch, values, self.first, len(index), chosen)

    def where(self, program: int) -> str:
        """Coordinates of one of the programs, in words."""
        number = int(self.numbers()[program if self.programs > 1 else 0])
        x, y, _ = self.launch.grid
        return f"program ({number % x}, {number // x % y}, {number // (x * y)})"


Step = Callable[[Frame], None]
"""What the programs of a frame do together."""


def take(value: Any, index: np.ndarray) -> Any:
    """The rows of some programs."""
    if isinstance(value, np.ndarray):
        return value if len(value) == 1 else value[index]
    if isinstance(value, Affine):
        return Affine(take(value.base, index), value.steps, value.shape, value.bits)
    if isinstance(value, Span):
        return Span(take(value.low, index), take(value.high, index), value.shape)
    return value


def alone(value: Any) -> Any:
    """A scalar of one program as a number."""
    return value.item() if isinstance(value, np.ndarray) and value.shape == (1,) else value
