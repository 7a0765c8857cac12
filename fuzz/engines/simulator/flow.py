"""Control flow between blocks: programs that jump different ways, or are too wide together, are parted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzz.engines.simulator.faults import Fault, TooWide
from fuzz.engines.simulator.frame import Frame, Step


@dataclass
class Jump:
    """Where a block goes: its parameters' slots get the values of others.

    ``block`` is None for a return.
    """

    block: Straight | None
    moves: list[tuple[int, int]]


@dataclass
class Straight:
    """Steps that are taken one after another, and what comes then.

    Attributes:
        steps: what to do.
        lines: source line of each step.
        live: slots that are read from here on and set before.
        condition: slot of the boolean that decides between two jumps, or None.
        jumps: where to go on; none after the end of a region.
        yields: slots of the values that a region gives back.
    """

    steps: list[Step]
    lines: list[str]
    live: set[int]
    condition: int | None = None
    jumps: tuple[Jump, ...] = ()
    yields: tuple[int, ...] = ()

    def run(self, frame: Frame, start: int = 0) -> None:
        """Take the steps from ``start`` on.

        Raises:
            TooWide: with the number of the step that needs fewer programs, as its argument.
        """
        at = start
        try:
            for at in range(start, len(self.steps)):
                self.steps[at](frame)
        except TooWide:
            raise TooWide(at) from None
        except Fault as fault:
            fault.line = fault.line or self.lines[at]
            raise


def run_blocks(entry: Straight, frame: Frame) -> None:
    """Run programs from a block until all have returned."""
    launch = frame.launch
    work = [(entry, frame, 0, 0)]
    while work:
        block, frame, start, launch.rounds = work.pop()
        try:
            block.run(frame, start)
        except TooWide as wide:
            work += [(block, part, wide.args[0], launch.rounds) for _, part in halves(frame)]
            continue
        work += [(to, there, 0, launch.rounds) for to, there in _onward(block, frame)]


def halves(frame: Frame) -> list[tuple[np.ndarray, Frame]]:
    """The programs in two parts, the first of them last, each with its places among them."""
    known = [slot for slot, value in enumerate(frame.values) if value is not None]
    return [(places, frame.part(places, known)) for places in reversed(np.array_split(np.arange(frame.programs), 2))]


def _onward(block: Straight, frame: Frame) -> Iterable[tuple[Straight, Frame]]:
    if block.condition is None:
        choices = [(jump, frame) for jump in block.jumps]
    else:
        choices = _parted(frame.values[block.condition], block.jumps, frame)
    for jump, there in choices:
        if jump.block is None:
            continue
        if jump.moves:
            arguments = [there.values[source] for _, source in jump.moves]
            for (target, _), value in zip(jump.moves, arguments, strict=True):
                there.values[target] = value
        there.launch.round()
        yield jump.block, there


def _parted(condition: Any, jumps: tuple[Jump, ...], frame: Frame) -> list[tuple[Jump, Frame]]:
    if isinstance(condition, int):
        return [(jumps[0 if condition else 1], frame)]
    first = np.count_nonzero(condition)
    if first in (0, len(condition)):
        return [(jumps[0 if first else 1], frame)]
    parts = []
    for jump, way in zip(jumps, (True, False), strict=True):
        if jump.block is not None:
            index = (condition if way else ~condition).nonzero()[0]
            live = jump.block.live | {source for _, source in jump.moves}
            parts.append((jump, frame.part(index, live)))
    return parts
