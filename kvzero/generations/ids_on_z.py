"""v3: a 3-D grid of chunks, segments and ids, in that order (vllm#50485, not merged).

Planner rule: as v2.

Faults kept: ids stand on z, so 65,536 of them are refused by the driver, and so are 65,536 segments
on y; a grid whose product wraps in 32 bits is silently not run (triton#7260).

Reconstructed: the proposal names a 3-D grid, and its own test, 1,048,577 chunks, fits on x alone.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from kvzero.generations import block_stride

Meta = block_stride.Meta
plan = block_stride.plan


@triton.jit
def kernel(addrs_ptr, strides_ptr, pages_ptr, ids_ptr, BLOCK_SIZE: tl.constexpr):
    """Clear one chunk if the segment's page has it: x is the chunk, y the segment, z the id."""
    chunk = tl.program_id(0)
    seg = tl.program_id(1)
    page = tl.load(pages_ptr + seg)
    if chunk >= page // BLOCK_SIZE:
        return
    block = tl.load(ids_ptr + tl.program_id(2)).to(tl.int64)
    stride = tl.load(strides_ptr + seg)
    start = tl.load(addrs_ptr + seg).to(tl.pointer_type(tl.int32))
    offset = block * stride + chunk.to(tl.int64) * BLOCK_SIZE
    tl.store(start + offset + tl.arange(0, BLOCK_SIZE), tl.zeros([BLOCK_SIZE], tl.int32))


def launch(meta: Meta, ids: torch.Tensor, kernel=kernel) -> None:
    """Clear the blocks whose ids stand in ``ids``, int64 ``[n]`` on the device."""
    addrs, strides, pages, max_chunks, chunk, segments = meta
    grid = (max_chunks, segments, ids.numel())
    kernel[grid](addrs, strides, pages, ids, BLOCK_SIZE=chunk)
