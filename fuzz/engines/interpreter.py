"""Triton's stock interpreter, with a device's launch rules applied to the recorded grid.

The cross-check of the simulator. It takes about a millisecond a program, so a launch of more than two
thousand is judged by its grid alone and otherwise left unproved.
"""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from math import prod
from typing import TYPE_CHECKING, Any

import torch

from fuzz.engines import Patience, launch_as
from fuzz.errors import EngineError

if TYPE_CHECKING:
    from fuzz.engines.launch_hook import Launch
    from oracles.launches import Ruling

SECONDS_A_PROGRAM = 1e-3
BYTES_A_SECOND = 4e6
"""A thousand stores of a chunk of 1,024 elements."""


def switch_on() -> None:
    """Make kernels that are decorated from now on run in the interpreter.

    Raises:
        EngineError: if Triton was imported without it; the switch is read at import.
    """
    if "triton" in sys.modules and os.environ.get("TRITON_INTERPRET", "0") in ("", "0"):
        raise EngineError("Triton was imported before the interpreter was switched on; use a fresh process")
    os.environ["TRITON_INTERPRET"] = "1"


def _mend_counting() -> None:
    """Let kernels loop up to a value of theirs under Triton 3.6, too.

    Its interpreter makes an integer of an array of one entry, which NumPy refuses since 2.4; 3.7 does not.
    """
    import triton  # noqa: PLC0415 - only after the switch
    from triton.runtime import interpreter  # noqa: PLC0415

    if not triton.__version__.startswith("3.6."):
        return
    patch = interpreter._patch_lang_tensor  # noqa: SLF001 - 3.6 stays as it is

    def mended(tensor: Any, scope: Any) -> None:
        patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.squeeze()))

    interpreter._patch_lang_tensor = mended  # noqa: SLF001


class Interpreter:
    """Runs a launch's programs one by one in Python, if the device profile lets them run at all."""

    name = "interpreter"
    patience = Patience(search=1.0, single=2.5)
    survives_faults = False
    batches = False
    gpus = 0
    keeps_stores = False
    streams = None

    def __init__(self, device_profile: str | None) -> None:
        _mend_counting()
        self.device = torch.device("cpu")
        self.device_name = "CPU"
        self.device_profile = device_profile or "h200"
        self.largest_arena = 2**31

    def know(self, start: int, size: int) -> None:
        """Any memory will do."""

    def reserve(self, size: int) -> tuple[int, list[tuple[Any, Any, Any]]]:
        """There is no virtual memory here."""
        raise EngineError(f"{self.name} has no virtual memory for {size} bytes")

    def allocating(self) -> AbstractContextManager[object]:
        """Any memory will do."""
        return nullcontext()

    def admit(self, launch: Launch, ruling: Ruling) -> tuple[int, ...]:
        """Do as the profile's launcher would: raise, run nothing without a word, or run the grid."""
        return launch_as(ruling, launch.grid)

    def seconds(self, launch: Launch, volume: int) -> float:
        """A millisecond a program, however wide it is, or what a program that loops over chunks takes."""
        return max(prod(launch.grid) * SECONDS_A_PROGRAM, volume / BYTES_A_SECOND)

    def settle(self) -> None:
        """Errors reach the target's caller by themselves."""

    def fault(self, volume: int = 0) -> tuple[str, str] | None:  # noqa: ARG002
        """A fault of the interpreter ends the process, and the supervisor reads its signal."""
        return None
