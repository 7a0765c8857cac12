"""Launch limits a second time, rule by rule, to hold the launch oracle against."""

from __future__ import annotations

import ctypes

Ruled = tuple[str, str]
"""Outcome and detail."""

RUNS: Ruled = ("runs", "")


def ruled(grid: tuple[int, ...], num_warps: int, profile: str) -> Ruled:
    """What becomes of a launch on a device.

    Raises:
        KeyError: for a device that stands not here.
    """
    x, y, z = (*grid, 1, 1, 1)[:3]
    for axis, blocks in (("x", x), ("y", y), ("z", z)):
        if ctypes.c_int32(blocks).value != blocks:
            return "rejected", f"launch-{axis}"
    return {"h200": _cuda, "mi300x": _hip, "ascend910b": _ascend}[profile](x, y, z, num_warps)


def _cuda(x: int, y: int, z: int, num_warps: int) -> Ruled:
    if ctypes.c_int32(x * y * z).value <= 0:
        return "skipped", "product"
    if 32 * num_warps > 1024:
        return "rejected", "launch-threads"
    if x <= 0:
        return "rejected", "launch-x"
    if y <= 0 or y >= 65_536:
        return "rejected", "launch-y"
    if z <= 0 or z >= 65_536:
        return "rejected", "launch-z"
    return RUNS


def _hip(x: int, y: int, z: int, num_warps: int) -> Ruled:
    if x * y * z % 2**32 == 0:
        return "skipped", "product"
    if 64 * num_warps > 1024:
        return "rejected", "launch-threads"
    if x <= 0 or x * 64 * num_warps >= 2**32:
        return "rejected", "launch-x"
    if y <= 0:
        return "rejected", "launch-y"
    if z <= 0:
        return "rejected", "launch-z"
    return RUNS


def _ascend(x: int, y: int, z: int, num_warps: int) -> Ruled:  # noqa: ARG001 - it has no warps
    return RUNS if 1 <= x * y * z <= 65_535 else ("rejected", "launch-product")
