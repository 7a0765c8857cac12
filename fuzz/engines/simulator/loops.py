"""Loops: they go round for as long as a program is still in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzz.engines.simulator.flow import Straight
from fuzz.engines.simulator.frame import Frame, take
from fuzz.engines.simulator.merging import give, put
from fuzz.engines.simulator.types import Type
from fuzz.engines.simulator.width import refuse_wide


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
        give(frame, self.results, [frame.values[inner] for inner, _ in self.carried])

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
        give(frame, self.results, merged)
