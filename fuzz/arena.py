"""One stretch of memory that holds a case's segments between two guard zones.

It is poisoned with bytes that are never zero and depend on their position, so that a page that was
moved shows, and a page that was never written differs from one that was written wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch

from fuzz.case import ALIGNMENT, Case
from fuzz.images import HeldImage, Image
from fuzz.layout import lead, total

if TYPE_CHECKING:
    from fuzz.engines import Engine

_GROWTH = 2**20

_SLICE = 2**18
"""Bytes of poison that are made at a time: what stays in a cache is made three times faster."""

MARGIN = 2**24
"""Bytes of nobody on both sides of an arena: a store that strays past a guard zone is not seen, but the
poison of later cases, which may lie next to it, must not suffer."""


class Arena(Protocol):
    """Memory that is poisoned anew for each call and read back whole after it."""

    def fit(self, case: Case) -> int:
        """Make room for a case and give the address of its offset 0."""

    def lay(self) -> None:
        """Poison it."""

    def read(self) -> Image:
        """The image as it is now, valid until it is laid again; raises what the device reports."""

    def memory(self) -> torch.Tensor:
        """The memory of the case at hand, guard zones included, uint8 ``[n]``: to write into, or to view as tensors."""

    def renew(self) -> None:
        """Make the poison anew, after a target that may have written over it from afar."""


def arena_of(engine: Engine) -> Arena:
    """The arena in an engine's memory."""
    return HostArena(engine) if engine.device.type == "cpu" else DeviceArena(engine)


def poison(size: int) -> np.ndarray:
    """The poison of an image's first ``size`` bytes: 1 to 255, by a multiplicative hash."""
    made = np.empty(size, np.uint8)
    for first in range(0, size, _SLICE):
        position = np.arange(first, min(first + _SLICE, size), dtype=np.uint32)
        position *= np.uint32(2654435761)
        position >>= np.uint32(7)
        position %= np.uint32(255)
        position += np.uint32(1)
        made[first : first + _SLICE] = position
    return made


class HostArena:
    """Memory of this process, compared where it lies."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._grow(_GROWTH)

    def fit(self, case: Case) -> int:
        """Make room for a case and give the address of its offset 0."""
        size = total(case)
        if size > len(self._poison):
            self._grow(_rounded(size))
        self._held = HeldImage(self._poison[:size], self._bytes[:size])
        self._engine.know(self._start, size)
        return self._start + lead(case)

    def lay(self) -> None:
        """Copy the poison over it."""
        np.copyto(self._held.after, self._held.before)

    def read(self) -> HeldImage:
        """The memory itself."""
        return self._held

    def memory(self) -> torch.Tensor:
        """The same as a tensor."""
        return self._memory.narrow(0, 0, len(self._held.after))

    def renew(self) -> None:
        """Make the poison anew."""
        self._poison[:] = poison(len(self._poison))

    def _grow(self, size: int) -> None:
        self._poison = self._bytes = np.empty(0, np.uint8)
        self._poison = poison(size)
        self._memory = aligned_memory(size, torch.device("cpu"))
        self._bytes = self._memory.numpy()
        self._start = self._memory.data_ptr()


class DeviceArena:
    """Memory of a device, read back through pinned memory of the host; :mod:`fuzz.large_arena` is for more of it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._grow(_GROWTH)

    def fit(self, case: Case) -> int:
        """Make room for a case and give the address of its offset 0."""
        size = total(case)
        if size > len(self._before):
            self._grow(_rounded(size))
        self._size = size
        self._held = self._memory.narrow(0, 0, size)
        self._engine.know(self._held.data_ptr(), size)
        return self._held.data_ptr() + lead(case)

    def lay(self) -> None:
        """Copy the poison over it, in order of the current stream."""
        self._held.copy_(self._poison.narrow(0, 0, self._size))

    def read(self) -> HeldImage:
        """A copy; waits for the device, and raises what it reports."""
        self._host.narrow(0, 0, self._size).copy_(self._held)
        return HeldImage(self._before[: self._size], self._after[: self._size])

    def memory(self) -> torch.Tensor:
        """The device's."""
        return self._held

    def renew(self) -> None:
        """Send the poison again."""
        self._poison.copy_(torch.from_numpy(self._before))

    def _grow(self, size: int) -> None:
        self._memory = self._held = self._poison = self._host = torch.empty(0)
        self._before: np.ndarray = poison(size)
        self._poison = torch.from_numpy(self._before).to(self._engine.device)
        self._host = torch.empty(size, dtype=torch.uint8, pin_memory=True)
        self._after = self._host.numpy()
        self._memory = aligned_memory(size, self._engine.device)
        self._size = size


def _rounded(size: int) -> int:
    return -(-size // _GROWTH) * _GROWTH


def aligned_memory(size: int, device: torch.device) -> torch.Tensor:
    """Memory at a multiple of ``ALIGNMENT``, uint8 ``[size]``, between two margins."""
    memory = torch.empty(size + 2 * MARGIN, dtype=torch.uint8, device=device)
    return memory.narrow(0, MARGIN - (memory.data_ptr() + MARGIN) % ALIGNMENT, size)
