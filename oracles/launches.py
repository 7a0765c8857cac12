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


def judge(grid: tuple[int, ...], num_warps: int, profile: str) -> Ruling:
    """Say what a device of ``profile`` makes of a launch of ``grid`` blocks of ``num_warps`` warps."""
    device = PROFILES[profile]
    dims = (*grid, 1, 1, 1)[:3]
    text = f"grid ({', '.join(map(str, dims))})"
    for axis, blocks in zip(AXES, dims, strict=True):
        if not -C_INT - 1 <= blocks <= C_INT:
            return Ruling("rejected", f"launch-{axis}", f"{text}: {axis} does not fit in a C int, at most {C_INT}")
    product = (prod(dims) + 2**31) % 2**32 - 2**31
    if (device.skips == "not positive" and product <= 0) or (device.skips == "zero" and product == 0):
        return Ruling(
            "skipped",
            "product",
            f"{text}: {prod(dims)} programs are {product} in 32 bits, and the launcher runs nothing",
        )
    threads = num_warps * device.wave
    if device.wave > 1 and threads > MOST_THREADS:
        return Ruling("rejected", "launch-threads", f"{text}: {threads} threads a block, at most {MOST_THREADS}")
    return _driver(device, dims, threads, text)


def _driver(device: DeviceProfile, dims: tuple[int, ...], threads: int, text: str) -> Ruling:
    sizes = (threads, 1, 1)
    for number, axis in enumerate(AXES):
        if device.dims and not 1 <= dims[number] <= device.dims[number]:
            reason = f"{text}: {axis} = {dims[number]}, the driver takes 1 to {device.dims[number]}"
            return Ruling("rejected", f"launch-{axis}", reason)
        items = dims[number] * sizes[number]
        if device.work_items and not 1 <= items < device.work_items:
            reason = f"{text}: {items} work-items in {axis}, they must stay below {device.work_items}"
            return Ruling("rejected", f"launch-{axis}", reason)
    if device.programs and not 1 <= prod(dims) <= device.programs:
        reason = f"{text}: {prod(dims)} programs, the device takes 1 to {device.programs}"
        return Ruling("rejected", "launch-product", reason)
    return Ruling("runs", "", f"{text}: {prod(dims)} programs")
