"""Control flow: programs that go different ways are parted, loops go round for those still in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzz.engines.simulator.faults import Fault, TooWide
from fuzz.engines.simulator.frame import Frame, Step, alone, take
from fuzz.engines.simulator.lanes import whole
from fuzz.engines.simulator.types import Type
from fuzz.engines.simulator.width import refuse_wide


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
            at = wide.args[0]
            halves = np.array_split(np.arange(frame.programs), 2)
            known = [slot for slot, value in enumerate(frame.values) if value is not None]
            work += [(block, frame.part(half, known), at, launch.rounds) for half in reversed(halves)]
            continue
        work += [(to, there, 0, launch.rounds) for to, there in _onward(block, frame)]


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


@dataclass
class If:
    """``scf.if``: each program takes one of two bodies."""

    condition: int
    bodies: tuple[Straight, ...]
    results: list[tuple[int, Type]]
    widest: int

    def __call__(self, frame: Frame) -> None:
        """Let each program take its branch."""
        condition = frame.values[self.condition]
        refuse_wide(frame.programs, self.widest)
        if not isinstance(condition, int) and (condition.all() or not condition.any()):
            condition = bool(condition[0])
        if isinstance(condition, int):
            for body in self.bodies[0:1] if condition else self.bodies[1:]:
                body.run(frame)
                _give(frame, self.results, [frame.values[slot] for slot in body.yields])
            return
        merged: list[Any] = [None] * len(self.results)
        for body, chosen in zip(self.bodies, (condition, ~condition), strict=False):
            index = np.flatnonzero(chosen)
            part = frame.part(index, body.live)
            body.run(part)
            for number, (slot, (_, kind)) in enumerate(zip(body.yields, self.results, strict=True)):
                merged[number] = put(merged[number], index, part.values[slot], kind, frame.programs)
        _give(frame, self.results, merged)


@dataclass
class For:
    """``scf.for``: bounds may differ from program to program."""

    variable: int
    bounds: tuple[int, int, int]
    carried: list[tuple[int, int]]
    body: Straight
    results: list[tuple[int, Type]]
    widest: int

    def __call__(self, frame: Frame) -> None:
        """Go round for as long as a program is inside its bounds."""
        refuse_wide(frame.programs, self.widest)
        low, high, step = (frame.values[slot] for slot in self.bounds)
        for inner, outer in self.carried:
            frame.values[inner] = frame.values[outer]
        frame.launch.loop(low, high, step, frame.programs)
        at = low
        while True:
            active = at < high
            if isinstance(active, np.ndarray) and active.all():
                active = True
            if not np.any(active):
                break
            self._round(frame, at, active)
            at = at + step
        _give(frame, self.results, [frame.values[inner] for inner, _ in self.carried])

    def _round(self, frame: Frame, at: Any, active: Any) -> None:
        if isinstance(active, int):
            frame.values[self.variable] = at
            self.body.run(frame)
            updates = [frame.values[slot] for slot in self.body.yields]
        else:
            index = np.flatnonzero(active)
            inner = {slot for slot, _ in self.carried}
            part = frame.part(index, (self.body.live | inner) - {self.variable})
            part.values[self.variable] = take(at, index) if isinstance(at, np.ndarray) else at
            self.body.run(part)
            kinds = [kind for _, kind in self.results]
            updates = [
                put(frame.values[slot], index, part.values[new], kind, frame.programs)
                for (slot, _), new, kind in zip(self.carried, self.body.yields, kinds, strict=True)
            ]
        for (slot, _), value in zip(self.carried, updates, strict=True):
            frame.values[slot] = value


@dataclass
class While:
    """``scf.while``: a body that says whether to go on, and one for those that do."""

    carried: list[tuple[int, int]]
    before: Straight
    after: Straight
    parameters: list[int]
    results: list[tuple[int, Type]]
    widest: int

    def __call__(self, frame: Frame) -> None:
        """Go round for as long as a program wants to."""
        refuse_wide(frame.programs, self.widest)
        for inner, outer in self.carried:
            frame.values[inner] = frame.values[outer]
        merged: list[Any] = [None] * len(self.results)
        index = np.arange(frame.programs)
        there = frame
        while True:
            frame.launch.round()
            self.before.run(there)
            going, *forward = (there.values[slot] for slot in self.before.yields)
            stay = np.broadcast_to(np.asarray(going, bool), (there.programs,))
            leaving = np.flatnonzero(~stay)
            for number, (value, (_, kind)) in enumerate(zip(forward, self.results, strict=True)):
                if len(leaving):
                    merged[number] = put(merged[number], index[leaving], take(value, leaving), kind, frame.programs)
            if not stay.any():
                break
            for slot, value in zip(self.parameters, forward, strict=True):
                there.values[slot] = value
            if len(leaving):
                kept = np.flatnonzero(stay)
                index = index[kept]
                there = there.part(kept, self.before.live | self.after.live | set(self.parameters))
            self.after.run(there)
            updates = [there.values[slot] for slot in self.after.yields]
            for (slot, _), value in zip(self.carried, updates, strict=True):
                there.values[slot] = value
        _give(frame, self.results, merged)


def put(old: Any, index: np.ndarray, new: Any, kind: Type, programs: int) -> Any:
    """Values of all programs, those of some replaced.

    Args:
        old: what they had, or None where nothing was set yet.
        index: which programs.
        new: their new values, ``[len(index), ...]`` or one for all.
        kind: type of the value.
        programs: how many there are in all.
    """
    form = (programs, *kind.shape)
    if old is None:
        merged = np.zeros(form, kind.dtype)
    else:
        merged = np.array(np.broadcast_to(whole(old, kind.shape, kind.dtype), form))
    merged[index] = whole(new, kind.shape, kind.dtype)
    return merged


def _give(frame: Frame, results: list[tuple[int, Type]], values: list[Any]) -> None:
    for (slot, _), value in zip(results, values, strict=True):
        frame.values[slot] = alone(value)
