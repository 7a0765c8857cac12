"""Where the simulator plugs into Triton: a backend that stops at TTIR, and a driver that runs it.

The wheel's own CUDA backend makes the TTIR, with the options and passes of a compile for compute
capability 9.0; so specialisation, compile errors and promises are those of a GPU, whatever the
version of Triton. No method of Triton is replaced: a backend is added, and a driver made active.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from typing import Any

import torch
from triton.backends import Backend, backends
from triton.backends.compiler import BaseBackend, GPUTarget
from triton.backends.driver import DriverBase

from fuzz.engines import EngineFailed
from fuzz.engines.simulator.launcher import Launcher
from fuzz.engines.simulator.program import Program

NAME = "kvzero_simulator"
MOST_PROGRAMS = 4096
"""Programs that are kept by their text: some kernels have one for each case."""

CAPABILITY = 90
WARP = 32

_cuda: Any = backends["nvidia"].compiler


class SimulatorBackend(BaseBackend):  # type: ignore[misc]
    """Compiles a kernel as for a GPU, as far as TTIR."""

    binary_ext = "ttir"

    def __init__(self, target: GPUTarget) -> None:
        super().__init__(target)
        self._cuda = _cuda(GPUTarget("cuda", CAPABILITY, WARP))

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        """Whether a target is ours."""
        return bool(target.backend == NAME)

    def hash(self) -> str:
        """Part of the key under which Triton keeps compiled kernels."""
        return f"{NAME}-{version('triton')}-{sha256(self._cuda.hash().encode()).hexdigest()[:16]}"

    def parse_options(self, options: dict[str, Any]) -> Any:
        """Launch options, as CUDA takes them."""
        return self._cuda.parse_options(options)

    def pack_metadata(self, metadata: Any) -> tuple[int, int, int]:
        """What the launcher gets to know of a kernel."""
        return metadata.num_warps, metadata.num_ctas, metadata.shared

    def get_codegen_implementation(self, options: Any) -> Any:
        """What the language's builtins turn into, as for CUDA."""
        return self._cuda.get_codegen_implementation(options)

    def get_module_map(self) -> Any:
        """Which library stands for ``libdevice``, as for CUDA."""
        return self._cuda.get_module_map()

    def load_dialects(self, context: Any) -> None:
        """The dialects that CUDA's compiler reads."""
        self._cuda.load_dialects(context)

    def add_stages(self, stages: dict[str, Any], options: Any, language: Any = None) -> None:  # noqa: ARG002
        """One stage: TTIR."""

        def make(module: Any, metadata: dict[str, Any]) -> Any:
            module = _cuda.make_ttir(module, metadata, options, CAPABILITY)
            metadata["name"] = module.get_entry_func_name()
            metadata["shared"] = 0
            return module

        stages["ttir"] = make


class _Utilities:
    """What Triton asks a driver's native half for."""

    def get_device_properties(self, device: Any) -> dict[str, int]:  # noqa: ARG002 - there is one
        return {
            "max_shared_mem": 232_448,
            "multiprocessor_count": 132,
            "max_num_regs": 65_536,
            "warpSize": WARP,
            "sm_clock_rate": 1_980_000,
            "mem_clock_rate": 3_201_000,
            "mem_bus_width": 6_144,
        }

    def load_binary(self, name: str, text: Any, shared: int, device: Any) -> tuple[Program, Program, int, int, int]:  # noqa: ARG002
        program = _program(text if isinstance(text, bytes) else text.encode())
        return program, program, 0, 0, 1024

    def unload_module(self, module: Any) -> None:
        """Programs are kept by their text."""


@lru_cache(MOST_PROGRAMS)
def _program(text: bytes) -> Program:
    """The program of a TTIR, which kernels that differ only in options share."""
    try:
        return Program(text.decode())
    except Exception as error:
        raise EngineFailed(f"the simulator cannot read a kernel: {type(error).__name__}: {error}") from error


class SimulatorDriver(DriverBase):  # type: ignore[misc]
    """A device named after the simulator, whose memory is the host's."""

    def __init__(self) -> None:
        self.utils = _Utilities()
        self.launcher_cls = Launcher
        self.get_current_stream: Callable[[Any], int] = lambda device: 0  # noqa: ARG005
        self.get_current_device: Callable[[], str] = lambda: NAME
        self.set_current_device: Callable[[Any], None] = lambda device: None  # noqa: ARG005

    @classmethod
    def is_active(cls) -> bool:
        """Never chosen by Triton itself."""
        return False

    def map_python_to_cpp_type(self, kind: str) -> str:
        """No C is made."""
        return kind

    def get_current_target(self) -> GPUTarget:
        """The target whose backend is :class:`SimulatorBackend`."""
        return GPUTarget(NAME, CAPABILITY, WARP)

    def get_active_torch_device(self) -> torch.device:
        """Where tensors lie."""
        return torch.device("cpu")

    def get_device_interface(self) -> Any:
        """Torch's interface of the host."""
        return torch.cpu

    def get_benchmarker(self) -> Callable[..., Any]:
        """For autotuning: every configuration is run once and found equally fast."""

        def bench(function: Callable[[], Any], quantiles: Sequence[float] | None = None, **_: Any) -> Any:
            function()
            return [1.0] * len(quantiles) if quantiles else 1.0

        return bench

    def get_empty_cache_for_benchmark(self) -> torch.Tensor:
        """A megabyte: there is no cache that a benchmark would have to empty."""
        return torch.empty(2**20, dtype=torch.int8)

    def clear_cache(self, cache: torch.Tensor) -> None:
        """Clear what :meth:`get_empty_cache_for_benchmark` gave."""
        cache.zero_()


backends[NAME] = Backend(SimulatorBackend, SimulatorDriver)
