"""The whole compile of a kernel, for real devices, without one: does it pass, and what comes out."""

from __future__ import annotations

import re
import subprocess
import tempfile
from typing import Any, NamedTuple

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler.errors import CompilationError
from triton.runtime.errors import OutOfResources, PTXASError

from fuzz.engines.simulator.faults import CompileRejected

DEVICES = {"h200": GPUTarget("cuda", 90, 32), "mi300x": GPUTarget("hip", "gfx942", 64)}
"""What a kernel is compiled for, by device profile; nobody's compiler for Ascend is in the wheel."""

_OPTIONS = ("num_warps", "num_stages", "num_ctas")
_PTX_STORE = re.compile(r"\bst\.global\S*?(?:\.v(\d))?\.[busf](\d+)\b")
_AMD_STORE = re.compile(r"\b(?:global|flat|buffer)_store_(byte|short|dwordx4|dwordx3|dwordx2|dword|b(\d+))\b")
_AMD_BYTES = {"byte": 1, "short": 2, "dword": 4, "dwordx2": 8, "dwordx3": 12, "dwordx4": 16}
_SPILLS = re.compile(r"(\d+) bytes spill stores")
_AMD_SPILLS = re.compile(r"\.[sv]gpr_spill_count: +(\d+)")

SECONDS = 60
"""Time for the assembler, which takes a tenth of a second."""


class Compiled(NamedTuple):
    """What became of a kernel.

    Attributes:
        device: the compile target in words.
        stores: widths of its stores to global memory, in bytes, widest first.
        assembly: its assembly.
    """

    device: str
    stores: tuple[int, ...]
    assembly: str


def compiled(source: Any, metadata: Any, target: GPUTarget) -> Compiled:
    """Compile a kernel for a device.

    Args:
        source: what Triton compiles: function, signature, constants and attributes.
        metadata: options of the launch.
        target: the device.

    Raises:
        CompileRejected: with the compiler's words.
    """
    name = f"{target.backend}:{target.arch}"
    options = {option: getattr(metadata, option) for option in _OPTIONS if hasattr(metadata, option)}
    try:
        assembly = triton.compile(source, target=target, options=options).asm
    except (CompilationError, OutOfResources, PTXASError, RuntimeError) as error:
        raise CompileRejected(f"{name}: {type(error).__name__}: {error}") from None
    if target.backend == "cuda":
        widths = {int(bits) // 8 * int(count or 1) for count, bits in _PTX_STORE.findall(assembly["ptx"])}
        return Compiled(name, tuple(sorted(widths, reverse=True)), assembly["ptx"])
    widths = {int(bits) // 8 if bits else _AMD_BYTES[word] for word, bits in _AMD_STORE.findall(assembly["amdgcn"])}
    return Compiled(name, tuple(sorted(widths, reverse=True)), assembly["amdgcn"])


def spills(made: Compiled) -> str:
    """What a kernel spills, in words."""
    if made.device.startswith("hip"):
        return f"{sum(map(int, _AMD_SPILLS.findall(made.assembly)))} registers spilled"
    return f"{_ptx_spills(made.assembly)} bytes spilled"


def _ptx_spills(text: str) -> int:
    """Bytes that the assembler spills; it says so only when asked."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        command = [triton.knobs.nvidia.ptxas.path, "-v", f"--gpu-name=sm_{_arch(text)}", file.name, "-o", "/dev/null"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    found = _SPILLS.search(run.stderr)
    return int(found[1]) if found else 0


def _arch(text: str) -> str:
    found = re.search(r"\.target sm_(\w+)", text)
    return found[1] if found else "90a"
