"""The simulator as an engine of the search: the default where there is no GPU."""

from __future__ import annotations

from contextlib import AbstractContextManager
from math import prod
from typing import TYPE_CHECKING, Any

import torch

from fuzz.engines import Patience, Unproved, launch_as
from fuzz.engines.simulator import install
from fuzz.engines.simulator.allocations import Allocations
from fuzz.engines.simulator.faults import Fault, Hang
from fuzz.engines.simulator.launcher import DEVICE

if TYPE_CHECKING:
    from fuzz.engines.launch_hook import Launch
    from oracles.launches import Ruling

SECONDS_A_LAUNCH = 5e-4
SECONDS_A_PROGRAM = 8e-8

VIRTUAL = 2**45
"""Where virtual memory lies: a Linux process keeps its program, heap and libraries above 2^46."""

MOST_VIRTUAL = 2**44


class Simulator:
    """Runs all programs of a launch at once, if the device profile lets them run at all."""

    name = "simulator"
    patience = Patience(search=1.0, single=10.0)
    survives_faults = True
    batches = False
    gpus = 0
    keeps_stores = True
    streams = None

    def __init__(self, device_profile: str | None, also_compiled_for: tuple[str, ...] = ()) -> None:
        self.device = torch.device("cpu")
        self.device_name = "CPU"
        self.device_profile = device_profile or "h200"
        self.largest_arena = 2**31
        install(None)
        DEVICE.races = False  # a warning in a worker is read by nobody, and looking takes time
        DEVICE.compiles_for = (self.device_profile, *also_compiled_for)

    def know(self, start: int, size: int) -> None:
        """Let kernels touch the arena of the case at hand, and nothing of a larger one before it."""
        DEVICE.fault = None
        DEVICE.memory.arena(start, size)

    def reserve(self, size: int) -> tuple[int, list[tuple[Any, Any, Any]]]:
        """Addresses far from all memory of this process, in place of the arena.

        Raises:
            Unproved: if there are not so many.
        """
        if size > MOST_VIRTUAL:
            raise Unproved(f"an arena of {size} bytes; there are addresses for {MOST_VIRTUAL}")
        DEVICE.fault = None
        return VIRTUAL, DEVICE.memory.arena(VIRTUAL, size, virtual=True).written

    def allocating(self) -> AbstractContextManager[object]:
        """Let kernels touch what torch allocates from here on, until the case is over."""
        return Allocations(DEVICE.memory)

    def admit(self, launch: Launch, ruling: Ruling) -> tuple[int, ...]:
        """Do as the profile's launcher would: raise, run nothing without a word, or run the grid."""
        return launch_as(ruling, launch.grid)

    def seconds(self, launch: Launch, volume: int) -> float:  # noqa: ARG002
        """From the number of programs; stores to the same bytes are merged before they are made."""
        return SECONDS_A_LAUNCH + prod(launch.grid) * SECONDS_A_PROGRAM

    def settle(self) -> None:
        """Raise the fault of a launch whose error the target kept to itself.

        Raises:
            Fault, Hang: what a launch ended with.
        """
        if DEVICE.fault is not None:
            raise DEVICE.fault

    def fault(self, volume: int = 0) -> tuple[str, str] | None:
        """What the last launch ended with; asked once, it is forgotten.

        Raises:
            Unproved: if a loop went through fewer rounds than there were bytes to clear.
        """
        fault, DEVICE.fault = DEVICE.fault, None
        if isinstance(fault, Hang):
            if fault.rounds < volume:
                raise Unproved(f"{fault}, which {volume} bytes may take; a GPU can tell")
            return "hung", ""
        return ("faulted", fault.detail) if isinstance(fault, Fault) else None
