"""One stretch of memory for many cases: one poison for all of them, and one way back for their images.

Nothing here waits: poison, launches and copies to the host follow each other on the current stream, and
an image is waited for when it is looked at. On memory of the host the same calls are over when they return.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import torch

from fuzz.arena import aligned_memory, poison
from fuzz.case import ALIGNMENT, Case
from fuzz.images import HeldImage
from fuzz.layout import lead, total

if TYPE_CHECKING:
    from fuzz.engines import Engine

ROOM = 2**24
"""Bytes of cases in flight together: a hundred small ones. On an H200 machine a quarter of it was 10 % slower."""


class BatchArena:
    """Memory of an engine's device that holds some cases side by side, each between its own guard zones.

    Args:
        engine: whose device it lies on.
        room: bytes of it.

    Attributes:
        address: where it begins.
    """

    def __init__(self, engine: Engine, room: int = ROOM) -> None:
        self.room = room
        self.engine = engine
        self._before = _poison(room)
        self._memory = aligned_memory(room, engine.device)
        self._poison = torch.from_numpy(self._before).to(engine.device, copy=True)
        self._pinned: list[torch.Tensor] = []
        self._done: torch.cuda.Event | None = None
        self.address = self._memory.data_ptr()
        engine.know(self.address, room)

    def berths(self, cases: list[Case]) -> list[Berth]:
        """A place for each case, in order; together they must fit into the room."""
        made, start = [], 0
        for case in cases:
            size = total(case)
            made.append(Berth(self, start, size))
            start += needed(size)
        return made

    def lay(self, stop: int) -> None:
        """Poison everything before ``stop``."""
        self._memory.narrow(0, 0, stop).copy_(self._poison.narrow(0, 0, stop))

    def fetch(self, turn: int, stop: int) -> None:
        """Send everything before ``stop`` to the host, as the images of the calls of that turn."""
        while len(self._pinned) <= turn:
            self._pinned.append(torch.empty(self.room, dtype=torch.uint8, pin_memory=self._memory.is_cuda))
        self._pinned[turn].narrow(0, 0, stop).copy_(self._memory.narrow(0, 0, stop), non_blocking=True)

    def mark(self) -> None:
        """Remember this moment of the stream as the end of a batch."""
        if self._memory.is_cuda:
            self._done = torch.cuda.Event()  # type: ignore[no-untyped-call]
            self._done.record()

    def wait(self) -> None:
        """Wait for the end of the batch; raises what the device reports."""
        if self._done is not None:
            self._done.synchronize()

    def image(self, turn: int, start: int, size: int) -> HeldImage:
        """Some bytes as the calls of a turn left them."""
        after = self._pinned[turn].numpy()
        return HeldImage(self._before[start : start + size], after[start : start + size])

    def memory(self, start: int, size: int) -> torch.Tensor:
        """Some bytes of the device."""
        return self._memory.narrow(0, start, size)

    def renew(self) -> None:
        """Send the poison again, after a target that may have written over it from afar."""
        self._poison.copy_(torch.from_numpy(self._before))


@dataclass
class Berth:
    """One case's place in a batch's arena; the batch lays and fetches for all.

    Attributes:
        arena: the batch's.
        start: where it begins, in bytes.
        size: how long it is.
        turn: the call of the case whose image is looked at.
    """

    arena: BatchArena
    start: int
    size: int
    turn: int = 0

    @property
    def stop(self) -> int:
        """Where it ends."""
        return self.start + self.size

    def fit(self, case: Case) -> int:
        """The address of the case's offset 0."""
        return self.arena.address + self.start + lead(case)

    def lay(self) -> None:
        """Left to the batch."""

    def read(self) -> HeldImage:
        """The image of the turn that is looked at, uint8."""
        return self.arena.image(self.turn, self.start, self.size)

    def memory(self) -> torch.Tensor:
        """Its bytes on the device."""
        return self.arena.memory(self.start, self.size)

    def renew(self) -> None:
        """Left to the batch."""


@cache
def _poison(room: int) -> np.ndarray:
    """One poison for all arenas of a process, so that it is in its caches once."""
    return poison(room)


def needed(size: int) -> int:
    """Bytes that an image of ``size`` bytes takes, so that the next one is aligned like an allocation."""
    return -(-size // ALIGNMENT) * ALIGNMENT
