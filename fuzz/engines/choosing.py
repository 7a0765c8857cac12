"""Which engine a worker runs, decided before Triton is imported, which reads its mode only once."""

from __future__ import annotations

import importlib.util
import os

from fuzz.engines import Engine
from fuzz.errors import EngineError

CONNECTIONS = "32"
"""Hardware queues of a process; of the usual 8 two streams may share one, where a stream that waits holds
the other up, and a fault of order stays hidden. The driver reads it when it starts."""


def choose(name: str | None, device_profile: str | None) -> Engine:
    """The engine of that name, or the best that there is for a device profile.

    Raises:
        EngineError: if torch or Triton is missing, or the engine cannot run here.
    """
    if importlib.util.find_spec("torch") is None or importlib.util.find_spec("triton") is None:
        raise EngineError("torch and triton are not both installed; run: pip install -c constraints.txt -e .")
    os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", CONNECTIONS)
    if name == "cuda" or (name is None and device_profile in (None, "h200") and _has_cuda()):
        from fuzz.engines.cuda import Cuda  # noqa: PLC0415 - imports Triton

        return Cuda(device_profile)
    if name in (None, "simulator"):
        from fuzz.engines.simulator.engine import Simulator  # noqa: PLC0415 - imports Triton

        return Simulator(device_profile)
    if name == "interpreter":
        from fuzz.engines.interpreter import Interpreter, switch_on  # noqa: PLC0415 - imports Triton

        switch_on()
        return Interpreter(device_profile)
    raise EngineError(f"engine={name!r}: there is no such engine")


def _has_cuda() -> bool:
    import torch  # noqa: PLC0415 - seconds, and only workers need it

    return torch.cuda.is_available()
