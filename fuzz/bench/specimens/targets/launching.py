"""Right kernels in grids that some device refuses, or silently does not run."""

from __future__ import annotations

from math import prod

import torch
import triton
import triton.language as tl

from kvzero.generations import block_stride, masked_grid
from kvzero.segments import Limits
from kvzero.staging import async_tensor_h2d
from kvzero.zeroer import KVBlockZeroer

WIDTH = 1024
C_INT = 2**31 - 1
Y_AXIS = 65_535


@triton.jit
def _axes(base_ptr, stride_ptr, page_ptr, ids_ptr, ID: tl.constexpr, SEGMENT: tl.constexpr, CHUNK: tl.constexpr,
          WIDTH: tl.constexpr):  # fmt: skip
    """Clear a chunk; ids, segments and chunks each have an axis of choice."""
    segment = tl.program_id(SEGMENT)
    columns = tl.program_id(CHUNK).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    start = tl.load(base_ptr + segment).to(tl.pointer_type(tl.int32))
    block = start + tl.load(ids_ptr + tl.program_id(ID)) * tl.load(stride_ptr + segment)
    tl.store(block + columns, tl.zeros([WIDTH], tl.int32), mask=columns < tl.load(page_ptr + segment))


@triton.jit(do_not_specialize=["n_segments", "chunks"])
def _folded(base_ptr, stride_ptr, page_ptr, ids_ptr, n_segments, chunks, WIDTH: tl.constexpr):
    """Clear a chunk; more segments than y holds go on along z."""
    segment = tl.program_id(1) + tl.program_id(2) // chunks * 65_535
    if segment >= n_segments:
        return
    columns = (tl.program_id(2) % chunks).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    start = tl.load(base_ptr + segment).to(tl.pointer_type(tl.int32))
    block = start + tl.load(ids_ptr + tl.program_id(0)) * tl.load(stride_ptr + segment)
    tl.store(block + columns, tl.zeros([WIDTH], tl.int32), mask=columns < tl.load(page_ptr + segment))


def _zeroer(table, device, axes, pieces="segments", width=WIDTH):
    """Launches of so many segments, or ids, that their products stay below 2^31: only an axis can be too long."""
    columns = table.on(device, 4)
    chunks = triton.cdiv(int(table.page.max()) // 4, width)
    place = dict(zip(axes, range(3), strict=True))

    def zero(ids):
        if not ids:
            return
        there = async_tensor_h2d(ids, torch.int64, device)
        whole = {"ids": len(ids), "segments": len(table), "chunks": chunks}
        piece = max(C_INT * whole[pieces] // prod(whole.values()), 1)
        for first in range(0, whole[pieces], piece):
            sizes = whole | {pieces: min(piece, whole[pieces] - first)}
            given = [column[first:] for column in columns] if pieces == "segments" else columns
            _axes[tuple(sizes[axis] for axis in axes)](
                *given, there[first:] if pieces == "ids" else there,
                ID=place["ids"], SEGMENT=place["segments"], CHUNK=place["chunks"], WIDTH=width,
            )  # fmt: skip

    return zero


def flat_grid(table, device):
    """v2: ids, segments and chunks on one axis (vllm#52058, and vllm#50485 on HIP)."""
    return KVBlockZeroer.of(table, device, kernel="block_stride").zero_block_ids


def segments_on_y(table, device):
    """Segments on y, as in v4."""
    return _zeroer(table, device, ("ids", "segments", "chunks"), pieces="ids")


def ids_on_z(table, device):
    """Ids on z, as in v3."""
    return _zeroer(table, device, ("chunks", "segments", "ids"))


def ids_on_y(table, device):
    """Ids on y (vllm#52381)."""
    return _zeroer(table, device, ("chunks", "ids", "segments"))


def elements_on_y(table, device):
    """Elements on y, one a program (triton#3299 and others)."""
    return _zeroer(table, device, ("ids", "chunks", "segments"), width=1)


def product_in_32_bits(table, device):
    """Every axis is legal, and their product is 0 or negative in 32 bits (triton#7260)."""
    columns = table.on(device, 4)
    chunks = triton.cdiv(int(table.page.max()) // 4, WIDTH)
    grid = (min(len(table), Y_AXIS), chunks * triton.cdiv(len(table), Y_AXIS))

    def zero(ids):
        if ids:
            there = async_tensor_h2d(ids, torch.int64, device)
            _folded[(len(ids), *grid)](*columns, there, len(table), chunks, WIDTH=WIDTH)

    return zero


def eight_warps(table, device):
    """A flat grid of 512 threads a program: 2^32 work-items at half as many programs (hip#2253)."""
    meta = block_stride.plan(table, device)
    addrs, strides, pages, max_chunks, chunk, segments = meta

    def zero(ids):
        if ids:
            there = async_tensor_h2d(ids, torch.int64, device)
            block_stride.kernel[(len(ids) * segments * max_chunks,)](
                addrs, strides, pages, there, len(ids), segments, max_chunks, BLOCK_SIZE=chunk, num_warps=8
            )

    return zero


def many_warps(table, device):
    """32 warps, which are waves of 64 lanes there: twice the threads (pytorch#175698)."""
    addrs, strides, pages, max_chunks, chunk, segments = masked_grid.plan(table, device)

    def zero(ids):
        if ids:
            there = async_tensor_h2d(ids, torch.int64, device)
            masked_grid.kernel[(len(ids), segments, max_chunks)](
                addrs, strides, pages, there, BLOCK_SIZE=chunk, num_warps=32
            )

    return zero


def launches_nothing_too(table, device):
    """An empty list is launched like any other (triton-ascend#984)."""
    meta = masked_grid.plan(table, device)
    return lambda ids: masked_grid.launch(meta, async_tensor_h2d(ids, torch.int64, device))


def native_op(table, device):
    """The constructor asks for an operator that this build does not have (ROCm's shuffled layout)."""
    clear = torch.ops.kvzero_no_such_build.zero_kv_blocks
    columns = table.on(device)
    return lambda ids: clear(*columns, async_tensor_h2d(ids, torch.int64, device))


segments_on_y.virtual = ids_on_z.virtual = ids_on_y.virtual = elements_on_y.virtual = True
flat_grid.virtual = product_in_32_bits.virtual = eight_warps.virtual = many_warps.virtual = True
ids_on_z.limits = ids_on_y.limits = Limits(segments=Y_AXIS)
elements_on_y.limits = Limits(ids=64, segments=64)
