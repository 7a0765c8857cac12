"""Branches: each program takes one of two bodies, and all go on together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzz.engines.simulator.faults import TooWide
from fuzz.engines.simulator.flow import Straight, halves
from fuzz.engines.simulator.frame import Frame
from fuzz.engines.simulator.merging import give, put
from fuzz.engines.simulator.types import Type
from fuzz.engines.simulator.width import refuse_wide


@dataclass
class If:
    """``scf.if``: each program takes one of two bodies.

    Attributes:
        condition: slot of the boolean that decides.
        bodies: one or two.
        results: slots that get what a body yields, and their types.
        widest: lanes of the widest result, which is written out where programs are parted, and is asked for where they
            are not. A body may be wider, and is then taken by fewer programs at a time.
    """

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
        merged: list[Any] = [None] * len(self.results)
        if isinstance(condition, int):
            for body in self.bodies[0:1] if condition else self.bodies[1:]:
                self._run(body, frame, np.arange(frame.programs), frame, merged)
        else:
            for body, chosen in zip(self.bodies, (condition, ~condition), strict=False):
                places = np.flatnonzero(chosen)
                self._run(body, frame.part(places, body.live), places, frame, merged)
        give(frame, self.results, merged)

    def _run(self, body: Straight, part: Frame, places: np.ndarray, frame: Frame, merged: list[Any]) -> None:
        """Let some of a frame's programs take a body, and put what it yields to that of the others."""
        for some, there in _in_parts(body, part, places):
            everybody = len(some) == frame.programs
            for number, (slot, (_, kind)) in enumerate(zip(body.yields, self.results, strict=True)):
                value = there.values[slot]
                merged[number] = value if everybody else put(merged[number], some, value, kind, frame.programs)


def _in_parts(body: Straight, frame: Frame, places: np.ndarray) -> Iterable[tuple[np.ndarray, Frame]]:
    """Take a body's steps, with fewer programs where all are too wide together; the parts, with their places."""
    launch = frame.launch
    most = launch.rounds
    work = [(frame, places, 0, launch.rounds)]
    while work:
        part, places, start, launch.rounds = work.pop()
        try:
            body.run(part, start)
        except TooWide as wide:
            work += [(there, places[half], wide.args[0], launch.rounds) for half, there in halves(part)]
            continue
        most = max(most, launch.rounds)
        yield places, part
    launch.rounds = most
