"""Launch arithmetic: the oracle's rulings and every generation's grids, each held against a plain second statement.

One byte decides which of the two an input is about.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from fuzz.harnesses import Disagreement, tables
from fuzz.harnesses.grids import PROGRAMS, Grid, Row, expected, refusal
from fuzz.harnesses.provider import Bytes, FromBytes, Provide
from fuzz.harnesses.rulings import ruled
from fuzz.source import Source
from kvzero.generations import BY_NAME
from kvzero.segments import SegmentTable
from oracles import launches

BITS = 33
"""Dimensions reach past a C int on both sides."""

WARPS = 64


class Recording:
    """A kernel that writes down the grids of its launches."""

    def __init__(self) -> None:
        self.grids: list[Grid] = []

    def __getitem__(self, grid: Grid) -> Any:
        return lambda *_arguments, **_options: self.grids.append(grid)


def one(data: bytes, provider: Provide = Bytes) -> None:
    """Judge a drawn grid on every device, or launch every generation on a drawn table.

    Raises:
        Disagreement: if a ruling or a grid is another than it must be.
        Exception: whatever a generation raises that it has no reason to.
    """
    source = FromBytes(provider(data))
    if tables.about_tables(source):
        drawn = tables.drawn(source)
        for name in BY_NAME:
            _generation(name, drawn.rows, drawn.ids)
        return
    grid, warps = _grid(source), source.integer(1, WARPS)
    for profile in launches.PROFILES:
        ruling = launches.judge(grid, warps, profile)
        wanted = ruled(grid, warps, profile)
        if (ruling.outcome, ruling.detail) != wanted:
            raise Disagreement(f"grid {grid}, {warps} warps on {profile}: {tuple(ruling)} instead of {wanted}")


def _grid(source: Source) -> Grid:
    return tuple(_dimension(source) for _ in range(source.integer(1, 3)))


def _dimension(source: Source) -> int:
    """A limit of a device or a neighbour of a power of two, of either sign, or any number."""
    kind = source.integer(0, 3)
    if kind == 0:
        return source.integer(1, 1024)
    if kind == 1:
        return source.integer(65_534, 65_537)
    if kind == 2:
        return (1 - 2 * source.integer(0, 1)) * ((1 << source.integer(0, BITS)) + source.integer(-1, 1))
    return source.integer(-(2**BITS), 2**BITS)


def _generation(name: str, rows: tuple[Row, ...], ids: int) -> None:
    """Plan and launch a table with a kernel that only records."""
    generation, must_raise = BY_NAME[name], refusal(name, rows)
    columns = np.repeat(np.array([row[:3] for row in rows], np.int64), [row.times for row in rows], axis=0)
    table = SegmentTable(*np.ascontiguousarray(columns.T))
    try:
        meta = generation.plan(table, "cpu")
    except (ValueError, AssertionError) as error:
        if type(error) is not must_raise:
            raise
        return
    if must_raise:
        raise Disagreement(f"{name}: takes a table that it cannot address: {rows}")
    kernel = Recording()
    generation.launch(meta, torch.zeros(1, dtype=torch.int64).expand(ids), kernel)
    wanted = expected(name, rows, ids) or [_looped(meta[0], rows, ids)]
    if kernel.grids != wanted:
        raise Disagreement(f"{name}: grids {kernel.grids} instead of {wanted} for {ids} ids of {rows}")


def _looped(chunks: torch.Tensor, rows: tuple[Row, ...], ids: int) -> Grid:
    """The grid of a generation that loops over a list of chunks, once the list is found to be whole."""
    widest: dict[tuple[int, int], int] = {}
    for row in rows:
        place = row.base, row.stride
        widest[place] = max(widest.get(place, 0), row.page)
    lengths = chunks.numpy()[:, 2]  # their sum is below 2^63: eight pages of 2^42 bytes
    if int(lengths.sum()) != sum(widest.values()) or lengths.min() < 1:
        raise Disagreement(f"chunk_list: its chunks are not as long as the pages of {rows}")
    if len(lengths) > PROGRAMS + len(widest):
        raise Disagreement(f"chunk_list: {len(lengths)} chunks for {rows}")
    down = min(len(lengths), PROGRAMS)
    grid = min(ids, PROGRAMS // down), down
    for profile in launches.PROFILES:
        if ruled(grid, 4, profile)[0] != "runs":
            raise Disagreement(f"chunk_list: grid {grid} does not run on {profile}")
    return grid
