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

    from fuzz.engines.simulator.launcher import Device


@contextmanager
def simulated(profile: str | None = "h200") -> Iterator[None]:
    """Within it, Triton launches on CPU tensors run in the simulator.

    An operation that the simulator does not know raises ``faults.Unsupported``, which passes
    ``except Exception``: it says nothing about the kernel.

    Args:
        profile: the device whose launch limits hold, or None for no limits.

    Raises:
        EngineError: if TRITON_INTERPRET is set: kernels would not be compiled.
        ValueError: if there is no such profile.
    """
    import triton  # noqa: PLC0415 - seconds, and only those who run kernels need it

    config = triton.runtime.driver
    before = config._active  # noqa: SLF001 - asking for ``active`` makes a driver, and fails where there is no GPU
    install(profile)
    try:
        yield
    finally:
        config._active = before  # noqa: SLF001
        _device().reset()


def install(profile: str | None) -> None:
    """Let all Triton launches of this process run in the simulator from now on.

    Raises:
        EngineError: if TRITON_INTERPRET is set: kernels would not be compiled.
        ValueError: if there is no such profile.
    """
    if os.environ.get("TRITON_INTERPRET", "0") not in ("", "0"):
        raise EngineError("TRITON_INTERPRET is set: kernels would be interpreted, not simulated; unset it")
    if profile is not None and profile not in PROFILES:
        raise ValueError(f"profile={profile!r}: must be one of {', '.join(PROFILES)}, or None for no limits")
    import triton  # noqa: PLC0415

    from fuzz.engines.simulator.seam import SimulatorDriver  # noqa: PLC0415

    triton.runtime.driver.set_active(SimulatorDriver())
    _device().reset()
    _device().profile = profile


def register(tensor: torch.Tensor, name: str = "a registered tensor") -> None:
    """Let kernels touch a CPU tensor's storage, though it is no argument of theirs, while it is simulated.

    Known without this are the storages of a launch's arguments.

    Raises:
        ValueError: if the tensor does not lie on the CPU.
    """
    if tensor.device.type != "cpu":
        raise ValueError(f"tensor on {tensor.device}: the simulator takes CPU tensors; call .cpu()")
    storage = tensor.untyped_storage()
    _device().memory.register(storage.data_ptr(), storage.nbytes(), name, owner=tensor)


def _device() -> Device:
    from fuzz.engines.simulator.launcher import DEVICE  # noqa: PLC0415 - imports Triton

    return DEVICE
