"""The compiled kernel on a CUDA device, through Triton's own launcher."""

from __future__ import annotations

import ctypes
import os
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import torch

from fuzz import device_check
from fuzz.engines import Patience
from fuzz.engines.cuda_streams import CudaStreams
from fuzz.errors import EngineError

if TYPE_CHECKING:
    from fuzz.engines.launch_hook import Launch
    from oracles.launches import Ruling

PROGRAMS_A_SECOND = 1e9
"""An H200 runs 1.5e9 programs a second that return at once."""

BYTES_A_SECOND = 1e11
"""Stores of many programs to the same few kilobytes; distinct pages go thirty times faster."""

SHARE = 2
"""An arena takes at most one in so many bytes that are free: other workers have the same device."""

STICKY = {700: "memory", 719: "memory", 716: "misaligned", 710: "assert"}
"""CUDA errors after which a context is lost: illegal address, launch failure, misaligned, assert."""


class Cuda:
    """Launches for real; the recorded grid tells afterwards which limit was met."""

    name = "cuda"
    patience = Patience(search=0.05, single=30.0)
    survives_faults = False
    batches = True
    keeps_stores = False

    def __init__(self, device_profile: str | None) -> None:
        if os.environ.get("TRITON_INTERPRET", "0") not in ("", "0"):
            raise EngineError("TRITON_INTERPRET is set: kernels would not be compiled; unset it")
        if not torch.cuda.is_available():
            raise EngineError(
                "engine=cuda: torch sees no CUDA device; check nvidia-smi and that torch is a CUDA "
                "build, or run with --engine simulator"
            )
        if device_profile not in (None, "h200"):
            raise EngineError(
                f"device_profile={device_profile}: this CUDA device has the launch limits of h200; "
                "try another profile's limits with --engine simulator"
            )
        self.device = torch.device("cuda", torch.cuda.current_device())
        self.device_name = torch.cuda.get_device_name(self.device)
        self.device_profile = "h200"
        self.gpus = torch.cuda.device_count()
        self._driver = ctypes.CDLL("libcuda.so.1")
        _wake(self.device)

    @property
    def largest_arena(self) -> int:
        """A share of what is free now, memory that torch only keeps in hand included."""
        in_hand = torch.cuda.memory_reserved(self.device) - torch.cuda.memory_allocated(self.device)
        return (torch.cuda.mem_get_info(self.device)[0] + in_hand) // SHARE

    @cached_property
    def streams(self) -> CudaStreams:
        """Made when the first case overlaps, since a sleep is measured then."""
        return CudaStreams()

    def know(self, start: int, size: int) -> None:
        """The device knows its allocations."""

    def reserve(self, size: int) -> tuple[int, list[tuple[Any, Any, Any]]]:
        """There is no virtual memory here."""
        raise EngineError(f"{self.name} has no virtual memory for {size} bytes")

    def allocating(self) -> AbstractContextManager[object]:
        """The device knows its allocations."""
        return nullcontext()

    def admit(self, launch: Launch, ruling: Ruling) -> tuple[int, ...]:  # noqa: ARG002 - the device rules
        """Run the grid as asked: the device itself decides."""
        return launch.grid

    def seconds(self, launch: Launch, volume: int) -> float:
        """From the number of programs and the bytes to write."""
        return prod(launch.grid) / PROGRAMS_A_SECOND + volume / BYTES_A_SECOND

    def settle(self) -> None:
        """Reading memory raises what the device reports."""

    def fault(self, volume: int = 0) -> tuple[str, str] | None:  # noqa: ARG002
        """Ask the driver: it repeats a sticky error for as long as the context lives."""
        detail = STICKY.get(self._driver.cuCtxSynchronize())
        return ("faulted", detail) if detail else None


def _wake(device: torch.device) -> None:
    """Have torch, Triton and the driver load and build what they do at first use, on nobody's account.

    Where a dozen workers start at once that takes longer than a case may.
    """
    device_check.lay(torch.empty(device_check.TILE, dtype=torch.uint8, device=device), device_check.TILE)
    torch.empty(1, pin_memory=True).to(device, non_blocking=True)
    torch.cuda.synchronize(device)
