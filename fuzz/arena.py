"""One stretch of device memory that holds a case's segments between two guard zones.

It is poisoned with bytes that are never zero and depend on their position, so that a page that was
moved shows, and a page that was never written differs from one that was written wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from fuzz.case import ALIGNMENT, Case
from fuzz.images import HeldImage
from oracles.pages import Segments

if TYPE_CHECKING:
    from fuzz.engines import Engine

_GROWTH = 2**20

MARGIN = 2**24
"""Bytes of nobody on both sides of an arena: a store that strays past a guard zone is not seen, but the
poison of later cases, which may lie next to it, must not suffer."""


def poison(size: int) -> np.ndarray:
    """The poison of an image's first ``size`` bytes: 1 to 255, by a multiplicative hash."""
    position = np.arange(size, dtype=np.uint32)
    position *= np.uint32(2654435761)
    position >>= np.uint32(7)
    position %= np.uint32(255)
    position += np.uint32(1)
    return position.astype(np.uint8)


class _Images(NamedTuple):
    """An arena's memory and what belongs to it, uint8 of one length each.

    Attributes:
        memory: what targets write to.
        poison: what is laid, on the device.
        host: where the memory is read back to; the memory itself if that is the host's.
        before: what is laid, as NumPy has it.
        after: what was read back, as NumPy has it.
    """

    memory: torch.Tensor
    poison: torch.Tensor
    host: torch.Tensor
    before: np.ndarray
    after: np.ndarray

    def first(self, size: int) -> _Images:
        """The first ``size`` bytes of each."""
        memory, poison, host, before, after = self
        tensors = memory.narrow(0, 0, size), poison.narrow(0, 0, size), host.narrow(0, 0, size)
        return _Images(*tensors, before[:size], after[:size])


class Arena:
    """Device memory, poisoned anew for each call and read back whole after it.

    Attributes:
        device: where it lies.
        lead: bytes before offset 0 of the case that was fitted last.
        size: bytes between the guard zones.
    """

    def __init__(self, engine: Engine) -> None:
        self.device = engine.device
        self.lead = self.size = 0
        self._engine = engine
        self._all = self._held = _images(_GROWTH, self.device)

    def fit(self, case: Case) -> int:
        """Make room for a case and give the address of its offset 0."""
        self.lead = lead(case)
        self.size = case.end
        size = total(case)
        if size > len(self._all.before):
            del self._all, self._held
            self._all = _images(-(-size // _GROWTH) * _GROWTH, self.device)
        self._held = self._all.first(size)
        self._engine.know(self._held.memory)
        return self._held.memory.data_ptr() + self.lead

    def lay(self) -> None:
        """Poison the arena, in order of the current stream."""
        self._held.memory.copy_(self._held.poison)

    def read(self) -> HeldImage:
        """The image as it is now; waits for the device, and raises what it reports.

        Valid until the arena is laid again.
        """
        if self.device.type != "cpu":
            self._held.host.copy_(self._held.memory)
        return HeldImage(self._held.before, self._held.after)

    def segments(self, case: Case) -> Segments:
        """The case's segments as offsets in the image, equal ones once."""
        return segments_of(case, self.lead)


def _images(size: int, device: torch.device) -> _Images:
    before = poison(size)
    memory = torch.empty(size + 2 * MARGIN, dtype=torch.uint8, device=device)
    shift = MARGIN - (memory.data_ptr() + MARGIN) % ALIGNMENT
    memory = memory[shift : shift + size]
    host = memory if device.type == "cpu" else torch.empty(size, dtype=torch.uint8, pin_memory=True)
    return _Images(memory, torch.from_numpy(before).to(device), host, before, host.numpy())


def segments_of(case: Case, lead: int) -> Segments:
    """A case's segments as offsets in an image that has ``lead`` bytes before offset 0, equal ones once."""
    rows = np.array([(s.base, s.stride, s.page, s.blocks) for s in case.segments], np.int64)
    return Segments(rows[:, 0] + lead, *rows[:, 1:].T)


def lead(case: Case) -> int:
    """Bytes of the front guard zone, rounded up so that offset 0 is aligned."""
    return -(-case.guard // ALIGNMENT) * ALIGNMENT


def total(case: Case) -> int:
    """Bytes of a case's arena, guard zones included, in whole words of 8 bytes."""
    return -(-(lead(case) + case.end + case.guard) // 8) * 8
