"""Right kernels whose warm-up leaves a variant out."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from fuzz.bench.specimens.targets import LIMITS

WIDTH = 1024
CORES = 8


@triton.jit
def _counted(base_ptr, stride_ptr, page_ptr, ids_ptr, n_blocks, WIDTH: tl.constexpr):
    """Clear a chunk; Triton specialises on the number of ids."""
    index = tl.program_id(0)
    if index >= n_blocks:
        return
    segment = tl.program_id(1)
    columns = tl.program_id(2).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    start = tl.load(base_ptr + segment).to(tl.pointer_type(tl.uint8))
    page = start + tl.load(ids_ptr + index) * tl.load(stride_ptr + segment)
    tl.store(page + columns, tl.zeros([WIDTH], tl.uint8), mask=columns < tl.load(page_ptr + segment))


@triton.jit(do_not_specialize=["n_blocks"])
def _persistent(base_ptr, stride_ptr, page_ptr, ids_ptr, n_blocks, GRID_SIZE: tl.constexpr, WIDTH: tl.constexpr):
    """Clear a chunk of every so many-th id; there are as many programs as cores, or fewer."""
    segment = tl.program_id(1)
    columns = tl.program_id(2).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    start = tl.load(base_ptr + segment).to(tl.pointer_type(tl.uint8))
    page = tl.load(page_ptr + segment)
    for index in range(tl.program_id(0), n_blocks, GRID_SIZE):
        block = start + tl.load(ids_ptr + index) * tl.load(stride_ptr + segment)
        tl.store(block + columns, tl.zeros([WIDTH], tl.uint8), mask=columns < page)


def _launch_counted(columns, ids, segments, chunks):
    _counted[(len(ids), segments, chunks)](*columns, ids, len(ids), WIDTH=WIDTH)


def _launch_persistent(columns, ids, segments, chunks):
    size = min(len(ids), CORES)
    _persistent[(size, segments, chunks)](*columns, ids, len(ids), GRID_SIZE=size, WIDTH=WIDTH)


def _zeroer(table, device, counts, launch):
    """A right zeroer; its warm-up launches with each of ``counts`` ids on scratch memory."""
    columns = table.on(device)
    chunks = triton.cdiv(int(table.page.max()), WIDTH)

    def zero(ids):
        if ids:
            launch(columns, torch.tensor(ids, dtype=torch.int64, device=device), len(table), chunks)

    def warmup(blocks):  # noqa: ARG001 - the scratch memory is its own
        scratch = torch.empty(WIDTH, dtype=torch.uint8, device=device)
        numbers = (scratch.data_ptr(), 0, WIDTH)
        for count in counts:
            likewise = [_like(column, value) for column, value in zip(columns, numbers, strict=True)]
            launch(likewise, torch.zeros(count, dtype=torch.int64, device=device), 1, 1)

    zero.warmup = warmup
    return zero


def _like(column, value):
    """One number in a tensor that is aligned as a table's column is."""
    room = torch.tensor([value] * 2, device=column.device).view(column.dtype)
    return room[column.data_ptr() % 16 // 8 :]


def one_count(table, device):
    """[0] alone: any other number of ids is compiled in the request (vllm#43009)."""
    return _zeroer(table, device, (1,), _launch_counted)


def two_counts(table, device):
    """[0] and [0, 0]: multiples of 16 are left out (vllm#46215)."""
    return _zeroer(table, device, (1, 2), _launch_counted)


def grid_size(table, device):
    """The number of programs is a constexpr, and smaller where there is less work (vllm-ascend)."""
    return _zeroer(table, device, (1,), _launch_persistent)


def no_count(table, device):
    """A warm-up that launches nothing (tt-metal#53508)."""
    return _zeroer(table, device, (), _launch_counted)


for _target in (one_count, two_counts, grid_size, no_count):
    _target.limits, _target.virtual = LIMITS, True
