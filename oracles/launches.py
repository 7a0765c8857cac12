"""What a launcher makes of a grid, before any program runs.

The rules act in the order of Triton's launchers: each dimension is parsed as a C int, then the
product is taken in 32 bits and tested, then the driver has its limits. Measured on an H200 with
Triton 3.6 (CUDA); read in Triton's and the vendors' sources for HIP and Ascend (triton#7260,
vllm#50485). The launch that is skipped without a word is the dangerous one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Literal, NamedTuple

C_INT = 2**31 - 1
AXES = "xyz"


class Ruling(NamedTuple):
    """What happens to a launch, the bucket's detail for it, and the reason in words."""

    outcome: Literal["runs", "skipped", "rejected"]
    detail: str
    reason: str


RUNS = Ruling("runs", "", "")


@dataclass(frozen=True)
class DeviceProfile:
    """Launch limits of one kind of device.

    Attributes:
        wave: threads of a warp or wave.
        dims: most blocks in x, y and z; None where only other limits hold.
        work_items: blocks times threads of each dimension lie below this, or None.
        programs: most blocks in all, or None.
        skips: which 32-bit products of a grid are silently not run.
    """

    wave: int
    dims: tuple[int, int, int] | None
    work_items: int | None
    programs: int | None
    skips: Literal["not positive", "zero", "none"]


PROFILES = {
    "h200": DeviceProfile(32, (C_INT, 65_535, 65_535), None, None, "not positive"),
    "mi300x": DeviceProfile(64, None, 2**32, None, "zero"),
    "ascend910b": DeviceProfile(1, None, None, 65_535, "none"),
}

MOST_THREADS = 1024

FEW_PROGRAMS = 65_535
"""Programs that every device takes, in whatever shape of grid."""


def judge(grid: tuple[int, ...], num_warps: int, profile: str) -> Ruling:
    """Say what a device of ``profile`` makes of a launch of ``grid`` blocks of ``num_warps`` warps."""
    device = PROFILES[profile]
    dims = (*grid, 1, 1, 1)[:3]
    programs = prod(dims)
    threads = num_warps * device.wave
    if min(dims) > 0 and programs <= FEW_PROGRAMS and threads <= MOST_THREADS:
        return RUNS
    for axis, blocks in zip(AXES, dims, strict=True):
        if not -C_INT - 1 <= blocks <= C_INT:
            return _rejected(dims, f"launch-{axis}", f"{axis} does not fit in a C int, at most {C_INT}")
    product = (programs + 2**31) % 2**32 - 2**31
    if (device.skips == "not positive" and product <= 0) or (device.skips == "zero" and product == 0):
        words = f"{programs} programs are {product} in 32 bits, and the launcher runs nothing"
        return Ruling("skipped", "product", _of_grid(dims, words))
    if device.wave > 1 and threads > MOST_THREADS:
        return _rejected(dims, "launch-threads", f"{threads} threads a block, at most {MOST_THREADS}")
    for number, axis in enumerate(AXES):
        blocks = dims[number]
        if device.dims and not 1 <= blocks <= device.dims[number]:
            words = f"{axis} = {blocks}, the driver takes 1 to {device.dims[number]}"
            return _rejected(dims, f"launch-{axis}", words)
        items = blocks * (threads if axis == "x" else 1)
        if device.work_items and not 1 <= items < device.work_items:
            words = f"{items} work-items in {axis}, they must stay below {device.work_items}"
            return _rejected(dims, f"launch-{axis}", words)
    if device.programs and not 1 <= programs <= device.programs:
        return _rejected(dims, "launch-product", f"{programs} programs, the device takes 1 to {device.programs}")
    return RUNS


def _rejected(dims: tuple[int, ...], detail: str, words: str) -> Ruling:
    return Ruling("rejected", detail, _of_grid(dims, words))


def _of_grid(dims: tuple[int, ...], words: str) -> str:
    return f"grid ({', '.join(map(str, dims))}): {words}"
