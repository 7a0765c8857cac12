"""A GPU's rules on a CPU: Triton kernels run from their TTIR, by NumPy, all programs at once.

>>> with simulated():
...     kernel[grid](tensor_on_the_cpu, ...)

Any code that launches Triton kernels runs unchanged on CPU tensors. What a GPU would refuse, skip or
fault on, the simulator refuses, skips and reports, in words.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fuzz.errors import EngineError
from oracles.launches import PROFILES

if TYPE_CHECKING:
    import torch


@contextmanager
def simulated(profile: str | None = "h200") -> Iterator[None]:
    """Within it, Triton launches on CPU tensors run in the simulator.

    Args:
        profile: the device whose launch limits hold, or None for no limits.

    Raises:
        EngineError: if TRITON_INTERPRET is set: kernels would not be compiled.
        ValueError: if there is no such profile.
    """
    if os.environ.get("TRITON_INTERPRET", "0") not in ("", "0"):
        raise EngineError("TRITON_INTERPRET is set: kernels would be interpreted, not simulated; unset it")
    if profile is not None and profile not in PROFILES:
        raise ValueError(f"profile={profile!r}: must be one of {', '.join(PROFILES)}, or None for no limits")
    import triton  # noqa: PLC0415 - seconds, and only those who run kernels need it

    from fuzz.engines.simulator.launcher import DEVICE  # noqa: PLC0415
    from fuzz.engines.simulator.seam import SimulatorDriver  # noqa: PLC0415

    config = triton.runtime.driver
    before, profile_before = config._active, DEVICE.profile  # noqa: SLF001 - reading .active would make a driver
    config.set_active(SimulatorDriver())
    DEVICE.profile = profile
    try:
        yield
    finally:
        DEVICE.profile = profile_before
        config._active = before  # noqa: SLF001


def register(tensor: torch.Tensor, name: str = "a registered tensor") -> None:
    """Let kernels touch a CPU tensor's storage, though it is no argument of theirs.

    Known without this are the storages of a launch's arguments.
    """
    from fuzz.engines.simulator.launcher import DEVICE  # noqa: PLC0415

    storage = tensor.untyped_storage()
    DEVICE.memory.register(storage.data_ptr(), storage.nbytes(), name)
    _registered[storage.data_ptr()] = tensor


_registered: dict[int, torch.Tensor] = {}
"""Keeps registered memory from being freed and used for something else."""
