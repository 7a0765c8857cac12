"""Targets with a warm-up: right ones, and ones with a planted fault each."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from kvzero import Limits
from kvzero.zeroer import KVBlockZeroer

WIDTH = 1024
CORES = 8


@triton.jit
def _counted(base_ptr, stride_ptr, page_ptr, ids_ptr, n_blocks, WIDTH: tl.constexpr):
    """Clear one chunk; the number of ids is specialised on, as in the first upstream kernel."""
    index = tl.program_id(0)
    if index >= n_blocks:
        return
    segment = tl.program_id(1)
    columns = tl.program_id(2).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    start = tl.load(base_ptr + segment).to(tl.pointer_type(tl.uint8))
    page = start + tl.load(ids_ptr + index) * tl.load(stride_ptr + segment)
    tl.store(page + columns, tl.zeros([WIDTH], tl.uint8), mask=columns < tl.load(page_ptr + segment))


@triton.jit
def _persistent(base_ptr, stride_ptr, page_ptr, ids_ptr, n_blocks, GRID_SIZE: tl.constexpr, WIDTH: tl.constexpr):
    """Clear the chunks of every GRID_SIZE-th id; as many programs as there are cores, or ids if fewer."""
    segment = tl.program_id(1)
    columns = tl.program_id(2).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    start = tl.load(base_ptr + segment).to(tl.pointer_type(tl.uint8))
    page = tl.load(page_ptr + segment)
    for index in range(tl.program_id(0), n_blocks, GRID_SIZE):
        block = start + tl.load(ids_ptr + index) * tl.load(stride_ptr + segment)
        tl.store(block + columns, tl.zeros([WIDTH], tl.uint8), mask=columns < page)


_persistent = triton.jit(_persistent.fn, do_not_specialize=["n_blocks"])
_once = triton.jit(_counted.fn, do_not_specialize=["n_blocks"])


class _Zeroer:
    """A right zeroer of 1,024 bytes a program; ``warmup`` launches with each of ``counts`` ids on scratch memory."""

    kernel = _counted
    counts = (1, 2, 16)

    def __init__(self, table, device):
        self.device = device
        self.table = table
        self.columns = table.on(device)
        self.chunks = triton.cdiv(int(table.page.max()), WIDTH)

    def zero(self, ids):
        if ids:
            self.launch(self.columns, ids, (len(self.table), self.chunks))

    def launch(self, columns, ids, more):
        grid = (len(ids), *more)
        self.kernel[grid](*columns, self.on_device(ids), len(ids), WIDTH=WIDTH)

    def warmup(self, blocks):
        scratch = torch.empty(WIDTH, dtype=torch.uint8, device=self.device)
        columns = self.scratch_table(scratch.data_ptr())
        for count in self.counts:
            self.launch(columns, [0] * count, (1, 1))

    def scratch_table(self, address):
        return [self.like(column, value) for column, value in zip(self.columns, (address, 0, WIDTH), strict=True)]

    def like(self, column, value):
        """One number in a tensor that is aligned as the column is."""
        room = torch.tensor([value] * 2, device=self.device).view(column.dtype)
        return room[column.data_ptr() % 16 // 8 :]

    def on_device(self, ids):
        return torch.tensor(ids, dtype=torch.int64, device=self.device)


def right(table, device):
    """Meets every class of n_blocks."""
    return _Zeroer(table, device).zero


def two_counts(table, device):
    """[0] and [0, 0] miss the multiples of 16 (vllm#46215): recompiled:n_blocks."""
    zeroer = _Zeroer(table, device)
    zeroer.counts = (1, 2)
    return zeroer.zero


def one_count(table, device):
    """One id on a kernel without do_not_specialize (vllm#49903): recompiled:n_blocks."""
    zeroer = _Zeroer(table, device)
    zeroer.counts = (1,)
    return zeroer.zero


def unspecialised(table, device):
    """One id is enough where do_not_specialize names n_blocks."""
    zeroer = _Zeroer(table, device)
    zeroer.kernel, zeroer.counts = _once, (1,)
    return zeroer.zero


def other_alignment(table, device):
    """Its scratch table is aligned to 16 bytes in every column: recompiled:stride_ptr where segments are odd."""
    zeroer = _Zeroer(table, device)
    zeroer.like = lambda column, value: torch.tensor([value], device=device).view(column.dtype)
    return zeroer.zero


def grid_size(table, device):
    """A constexpr depends on the number of ids (vllm-ascend): recompiled:GRID_SIZE."""
    zeroer = _Zeroer(table, device)
    zeroer.counts = (1,)

    def launch(columns, ids, more):
        grid = (min(len(ids), CORES), *more)
        _persistent[grid](*columns, zeroer.on_device(ids), len(ids), GRID_SIZE=grid[0], WIDTH=WIDTH)

    zeroer.launch = launch
    return zeroer.zero


def cold(table, device):
    """Its warm-up does nothing: recompiled:whole kernel."""
    zeroer = _Zeroer(table, device)
    zeroer.warmup = lambda blocks: None
    return zeroer.zero


def compiles_alone(table, device):
    """Right, by Triton's own ``warmup``, which launches nothing."""
    zeroer = _Zeroer(table, device)

    def warmup(blocks):
        columns = [zeroer.like(column, 0) for column in zeroer.columns]
        for count in (1, 2, 16):
            _counted.warmup(*columns, zeroer.on_device([0]), count, WIDTH=WIDTH, grid=(1,))

    zeroer.warmup = warmup
    return zeroer.zero


def clears_block_0(table, device):
    """Right: warm-ups of their time cleared a block of the cache, before anything lived there."""
    zeroer = KVBlockZeroer.of(table, device, kernel="masked_grid")

    def zero(ids):
        zeroer.zero_block_ids(ids)

    zero.warmup = lambda blocks: zeroer.zero_block_ids([0])
    return zero


def lazy(table, device):
    """Warm, and never launches anything in a call: skipped:none."""
    zeroer = _Zeroer(table, device)
    zeroer.zero = lambda ids: None
    zeroer.zero.warmup = zeroer.warmup
    return zeroer.zero


def astray(table, device):
    """Its warm-up stores to address 0: faulted:memory."""
    zeroer = _Zeroer(table, device)
    zeroer.scratch_table = lambda address: _Zeroer.scratch_table(zeroer, 0)
    return zeroer.zero


def raising(table, device):
    """Its warm-up raises: rejected:constructor."""
    zeroer = _Zeroer(table, device)
    zeroer.warmup = lambda blocks: 1 // 0
    return zeroer.zero


RIGHT = ("right", "unspecialised", "compiles_alone", "clears_block_0")

BUCKETS = {
    "two_counts": "recompiled:n_blocks",
    "one_count": "recompiled:n_blocks",
    "other_alignment": "recompiled:stride_ptr",
    "grid_size": "recompiled:GRID_SIZE",
    "cold": "recompiled:whole kernel",
    "lazy": "skipped:none",
    "raising": "rejected:constructor",
}

for _target in (right, two_counts, one_count, unspecialised, other_alignment, grid_size, cold, compiles_alone):
    _target.limits = Limits(unit=1, segments=4096)
