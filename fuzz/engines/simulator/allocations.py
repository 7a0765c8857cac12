"""Memory that a kernel finds through an address in a table, not through an argument.

A warm-up points a table of its own at scratch memory. A device knows all its allocations; the simulator
knows the storages of a launch's arguments, so it has to watch torch allocate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from fuzz.engines.simulator.memory import Memory
from fuzz.operator_mode import OperatorMode


class Allocations(OperatorMode):
    """Within it, the storage of each tensor that torch makes is known, and kept until the next arena.

    Args:
        memory: who gets to know it.
    """

    def __init__(self, memory: Memory) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._memory = memory

    def __torch_dispatch__(
        self,
        function: Callable[..., Any],
        types: Any,
        args: Any = (),
        kwargs: Any = None,
    ) -> Any:
        """Make a tensor, and know it."""
        made = function(*args, **(kwargs or {}))
        if isinstance(made, torch.Tensor) and made.device.type == "cpu":
            storage = made.untyped_storage()
            self._memory.lend(storage.data_ptr(), storage.nbytes(), "memory of the warm-up", owner=made)
        return made
