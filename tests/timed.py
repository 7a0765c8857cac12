"""What tests of timing share: a clock that needs no device, memory that kernels may reach, zeroers by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from fuzz.engines.simulator import register, simulated
from kvzero.zeroer import KVBlockZeroer


class Ticking:
    """A clock on which every call takes longer than the one before: 1, 2, 3 ... milliseconds."""

    def __init__(self) -> None:
        self.calls = 0

    def seconds(self, call: Callable[[], object]) -> float:
        call()
        self.calls += 1
        return self.calls * 1e-3

    def settle(self) -> None:
        """Nothing is in flight."""


@contextmanager
def known(memory: torch.Tensor) -> Iterator[None]:
    """Within it the simulator lets kernels reach that memory."""
    with simulated("h200"):
        register(memory)
        yield


def kernel_named(name: str) -> Callable[[Any, Any], Callable[[list[int]], None]]:
    """A generation, as what makes its zeroer of a table."""
    return lambda table, device: KVBlockZeroer.of(table, device, kernel=name).zero_block_ids
