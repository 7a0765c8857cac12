"""One stretch of device memory that holds a case's segments between two guard zones.

It is poisoned with bytes that are never zero and depend on their position, so that a page that was
moved shows, and a page that was never written differs from one that was written wrong.
"""

from __future__ import annotations

import numpy as np
import torch

from fuzz.case import ALIGNMENT, Case
from oracles.pages import Segments

_GROWTH = 2**20


def poison(size: int) -> np.ndarray:
    """The poison of an image's first ``size`` bytes: 1 to 255, by a multiplicative hash."""
    position = np.arange(size, dtype=np.uint32)
    position *= np.uint32(2654435761)
    position >>= np.uint32(7)
    position %= np.uint32(255)
    position += np.uint32(1)
    return position.astype(np.uint8)


class Arena:
    """Device memory, poisoned anew for each case and read back whole after it.

    Attributes:
        device: where it lies.
        lead: bytes before offset 0 of the case that was fitted last.
        size: bytes between the guard zones.
    """

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.lead = self.size = self._total = 0
        self._grow(_GROWTH)

    def fit(self, case: Case) -> int:
        """Make room for a case and give the address of its offset 0."""
        self.lead = lead(case)
        self.size = case.end()
        self._total = self.lead + self.size + case.guard
        if self._total > len(self._before):
            self._grow(-(-self._total // _GROWTH) * _GROWTH)
        return self._memory.data_ptr() + self.lead

    def lay(self) -> None:
        """Poison the arena, in order of the current stream."""
        self._memory[: self._total].copy_(self._poison[: self._total])

    def before(self) -> np.ndarray:
        """The image as it was laid, uint8 ``[lead + size + guard]``."""
        return self._before[: self._total]

    def read(self) -> np.ndarray:
        """The image as it is now; waits for the device, and raises what it reports.

        Valid until the arena is laid again.
        """
        if self.device.type == "cpu":
            return self._memory[: self._total].numpy()
        self._host[: self._total].copy_(self._memory[: self._total])
        return self._host[: self._total].numpy()

    def segments(self, case: Case) -> Segments:
        """The case's segments as offsets in the image, equal ones once."""
        rows = np.array([(s.base, s.stride, s.page, s.blocks) for s in case.segments], np.int64)
        return Segments(rows[:, 0] + self.lead, *rows[:, 1:].T)

    def _grow(self, size: int) -> None:
        self._before = poison(size)
        self._memory = self._poison = self._host = torch.empty(0)
        if self.device.type == "cpu":
            self._poison = torch.from_numpy(self._before)
        else:
            self._poison = torch.from_numpy(self._before).to(self.device)
            self._host = torch.empty(size, dtype=torch.uint8, pin_memory=True)
        memory = torch.empty(size + ALIGNMENT, dtype=torch.uint8, device=self.device)
        shift = -memory.data_ptr() % ALIGNMENT
        self._memory = memory[shift : shift + size]


def lead(case: Case) -> int:
    """Bytes of the front guard zone, rounded up so that offset 0 is aligned."""
    return -(-case.guard // ALIGNMENT) * ALIGNMENT


def total(case: Case) -> int:
    """Bytes of a case's arena, guard zones included."""
    return lead(case) + case.end() + case.guard
