"""Targets that are right, but for the trouble that they make on a few cases: for trials of survival.

Which cases those are is decided by the table, so that each is found again; without a GPU the process itself
is hurt in place of a device.
"""

from __future__ import annotations

import os
import signal
import time

import torch

from kvzero.zeroer import KVBlockZeroer
from tests.planted import _store_byte, _wait_for_ever

SELDOM = 29
"""One table in so many makes trouble."""

RARELY = 307
"""For trouble that costs ten seconds each time."""

HELD: list[torch.Tensor] = []
"""What the leak has leaked so far."""


def faults(table, device):
    """Stores to address 0: faulted:memory, and the device is lost to its process."""

    def fault():
        if device.type == "cpu":
            os.kill(os.getpid(), signal.SIGSEGV)
        _store_byte(0, 0, device)

    return _at_times(table, device, SELDOM, fault)


def hangs(table, device):
    """Never comes back: hung."""

    def hang():
        if device.type == "cpu":
            time.sleep(3600)
        _wait_for_ever[(1,)](torch.zeros(1, dtype=torch.int32, device=device))

    return _at_times(table, device, RARELY, hang)


def starves(table, device):
    """Asks for more memory than there is: rejected:other-OutOfMemoryError on a GPU."""
    return _at_times(table, device, SELDOM, lambda: torch.empty(2**46, dtype=torch.uint8, device=device))


def neighbour(table, device):
    """Writes far behind its own memory, where a neighbour lies in a batch and nobody does otherwise."""
    behind = int((table.base + table.stride * 64).max()) + 2**18
    return _at_times(table, device, SELDOM, lambda: _store_byte(behind, 1, device))


def leaks(table, device):
    """Holds a megabyte more each time; every byte of the cache is right."""
    return _at_times(table, device, 2, lambda: HELD.append(torch.empty(2**20, dtype=torch.uint8, device=device)))


def _at_times(table, device, every, act):
    """A right zeroer that also does something else on one table in ``every``."""
    zero = KVBlockZeroer.of(table, device, kernel="masked_grid").zero_block_ids
    numbers = [*table.page.tolist(), *table.stride.tolist(), len(table)]
    chosen = hash(tuple(numbers)) % every == 0

    def zeroed(ids):
        zero(ids)
        if chosen:
            act()

    return zeroed
