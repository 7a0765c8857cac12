"""A launch on the simulator: a device profile's rules first, then the programs."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from fuzz.engines import EngineFailed, launch_as
from fuzz.engines.simulator.compiling import DEVICES, Compiled, compiled
from fuzz.engines.simulator.faults import Fault, Hang, Unsupported
from fuzz.engines.simulator.integers import wrap
from fuzz.engines.simulator.memory import Memory
from oracles.launches import RUNS, judge

if TYPE_CHECKING:
    from fuzz.engines.simulator.program import Program


MOST_VARIANTS = 16
"""Variants of a kernel that are compiled whole in a process: each takes a tenth of a second, and some
kernels have one for each case."""


class RaceWarning(UserWarning):
    """Two programs of a launch wrote different values to one byte."""


class Device:
    """The simulated device of this process.

    Attributes:
        profile: whose launch limits hold; None if somebody else has already applied them.
        memory: what kernels may touch.
        fault: the last fault, until it is asked for.
        races: whether stores of different values to one byte are looked for, and warned of.
        compiles_for: the profiles for whose devices each kernel is compiled whole, too.
        compiled: what came of it, by kernel's name, profile, and what else decides it.
    """

    def __init__(self) -> None:
        self.compiled: dict[tuple[object, ...], Compiled] = {}
        self.reset()

    def reset(self) -> None:
        """Know no memory and no fault; nobody's limits hold, races are warned of, and nothing is compiled whole."""
        self.profile: str | None = None
        self.races = True
        self.compiles_for: tuple[str, ...] = ()
        self.memory = Memory()
        self.fault: Fault | Hang | None = None


DEVICE = Device()


class Launcher:
    """Launches one compiled kernel; Triton makes one for each.

    Args:
        source: the kernel's source, whose signature tells the kinds of its arguments.
        metadata: options of the launch.

    Raises:
        CompileRejected: if a device's compiler refuses the kernel.
    """

    def __init__(self, source: Any, metadata: Any) -> None:
        self._signature = list(source.signature.items())
        for profile in DEVICE.compiles_for:
            kernel = (source.fn.fn.__qualname__, profile)
            key = (*kernel, source.hash(), metadata.num_warps)
            variants = sum(other[:2] == kernel for other in DEVICE.compiled)
            if key not in DEVICE.compiled and profile in DEVICES and variants < MOST_VARIANTS:
                DEVICE.compiled[key] = compiled(source, metadata, DEVICES[profile])

    def __call__(
        self, x: int, y: int, z: int, stream: int, program: Program, packed: Any, launched: Any,  # noqa: ARG002
        on_enter: Any, on_exit: Any, *arguments: Any,
    ) -> None:  # fmt: skip
        """Run a grid, or do what the device's launcher does instead.

        Raises:
            OverflowError, RuntimeError: as a launcher does past its limits.
            Fault: what a device would report.
        """
        if DEVICE.profile is not None and not _runs((x, y, z), packed[0], DEVICE.profile):
            return
        if min(x, y, z) <= 0:
            return
        if on_enter is not None:
            on_enter(launched)
        numbers, ranges = self._read(arguments)
        DEVICE.memory.passed(ranges)
        try:
            race = program.run((x, y, z), numbers, DEVICE.memory, races=DEVICE.races)
        except (Fault, Hang) as fault:
            DEVICE.fault = fault.with_traceback(None)
            raise
        except Exception as error:
            raise EngineFailed(f"the simulator failed on {program.name}: {type(error).__name__}: {error}") from error
        if on_exit is not None:
            on_exit(launched)
        if race:
            warnings.warn(f"{program.name}: {race}", RaceWarning, stacklevel=2)

    def _read(self, arguments: tuple[Any, ...]) -> tuple[list[int], list[tuple[int, int, str]]]:
        """Arguments as numbers, and the storages behind those that are tensors."""
        numbers: list[int] = []
        ranges = []
        for (name, kind), argument in zip(self._signature, arguments, strict=True):
            if kind == "constexpr":
                continue
            if hasattr(argument, "data_ptr"):
                numbers.append(argument.data_ptr())
                if hasattr(argument, "untyped_storage"):
                    if not argument.is_cpu:
                        raise Unsupported(f"{name} on {argument.device}: the simulator takes CPU tensors")
                    storage = argument.untyped_storage()
                    ranges.append((storage.data_ptr(), storage.nbytes(), name))
            elif kind[0] in "iu*":
                numbers.append(_signed(int(argument), kind))
            else:
                raise Unsupported(f"{name}={argument!r}, an argument of type {kind}")
        return numbers, ranges


def _signed(number: int, kind: str) -> int:
    if kind in ("i1", "u1"):
        return bool(number)
    bits = 64 if kind[0] == "*" else int(kind[1:])
    return wrap(number, bits)


def _runs(grid: tuple[int, int, int], warps: int, profile: str) -> bool:
    """Whether a grid runs; raises what a launcher raises if it refuses it."""
    ruling = judge(grid, warps, profile)
    launch_as(ruling, grid)
    return ruling is RUNS
