"""The built-in targets: our zeroer with the kernels and planners of each generation, and torch's ``index_fill_``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import kvzero
from fuzz import contents
from fuzz.case import Case
from fuzz.target import Target
from kvzero.segments import Limits

GENERATIONS = {
    "uniform_page": "v0: one page size, one flat grid",
    "page_table": "v1: a page for each segment, read off its stride",
    "page_buckets": "v1b: one launch for each page size",
    "block_stride": "v2: stride apart from page",
    "ids_on_z": "v3: a 3-D grid, ids on z",
    "masked_grid": "v4: a 3-D grid, masked wide chunks; today's upstream kernel",
    "chunk_list": "v5: a list of equal chunks, granular to the byte, ids checked; our own, must never fail",
}
BYTE_GRANULAR = ("chunk_list",)
"""Generations that take sizes of any number of bytes; the others store int32."""
TABLES = GENERATIONS | {"index_fill": "torch's index_fill_, byte by byte; must never fail"}
LAYOUTS = {
    "KVBlockZeroer": "our planner, layer's bytes exactly, with our kernel chunk_list",
    "first_planner": "v0: page read off the stride, first layer at an address wins, full attention only",
    "block_stride_planner": "v2: stride apart from page, first layer at an address wins",
}
BUILT_IN = TABLES | LAYOUTS


def built_in(case: Case) -> tuple[str, ...]:
    """The built-in targets that a case, or some case of a sequence, is for."""
    if case.sequence:
        return tuple(dict.fromkeys(name for member in case.sequence for name in built_in(member)))
    return tuple(LAYOUTS if case.layers else TABLES)


def load(name: str) -> Target:
    """Import one of them; to be called in a worker."""
    return replace(_made(name), content=contents.of_built_in(name), files=(_file(name),))


def _made(name: str) -> Target:
    if name in GENERATIONS:
        return Target(name, _generation(name), Limits(unit=1) if name in BYTE_GRANULAR else Limits(), virtual=True)
    if name in LAYOUTS:
        return Target(name, _planner(name), Limits(), takes="layout")
    from fuzz.index_fill import LIMITS, zeroer  # noqa: PLC0415 - needs torch

    return Target(name, zeroer, LIMITS)


def _file(name: str) -> Path:
    """The file that a built-in target's kernel, or else its Python, stands in."""
    ours = Path(kvzero.__file__).parent
    if name in GENERATIONS:
        return ours / "generations" / f"{name}.py"
    return ours / "zeroer.py" if name in LAYOUTS else Path(__file__).with_name("index_fill.py")


def _generation(name: str) -> Callable[[Any, Any], Callable[[list[Any]], None]]:
    from kvzero.zeroer import KVBlockZeroer  # noqa: PLC0415 - needs torch and Triton

    return lambda table, device: KVBlockZeroer.of(table, device, kernel=name).zero_block_ids


def _planner(name: str) -> Callable[[Any, Any], Callable[[list[Any]], None]]:
    from kvzero.planners import BY_NAME  # noqa: PLC0415 - needs torch
    from kvzero.zeroer import KVBlockZeroer  # noqa: PLC0415 - needs torch and Triton

    if name == "KVBlockZeroer":
        return lambda layout, device: KVBlockZeroer(device, *layout.arguments()).zero_block_ids
    old = BY_NAME[name]

    def zeroer(layout: Any, device: Any) -> Callable[[list[Any]], None]:
        table = old.plan(device, *layout.older())
        return KVBlockZeroer.of(table, device, kernel=old.KERNEL).zero_block_ids

    return zeroer
