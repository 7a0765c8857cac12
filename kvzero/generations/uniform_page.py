"""v0: one page size for all segments, one flat grid (vllm#35219, February to July 2026).

Planner rule: the page is read off the block stride, one number for distance and span.

Faults kept: segments of different strides are refused with an assertion (vllm#49696: 2112 against
10496 elements); a page narrower than its stride is cleared up to the next block (vllm#50276); the
flat grid overflows at 2^31 programs (vllm#52058). Segment count and page are compile-time constants,
so each new table is compiled anew inside a request (vllm#45631).

The program number is taken to 64 bits first: a page past 2^31 elements, a constant here, would not
compile else, before the launcher could refuse its grid.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from kvzero.generations.elements import ELEMENT, common_chunk, require_whole_elements
from kvzero.segments import SegmentTable

Meta = tuple[torch.Tensor, int, int, int]
"""(addresses, page in elements, chunk in elements, segments)"""


@triton.jit
def kernel(
    addrs_ptr,
    ids_ptr,
    n_blocks,
    N_SEGS: tl.constexpr,
    PAGE_SIZE_EL: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
):
    """Clear one chunk: program ids count chunk fastest, then segment, then block."""
    CHUNKS: tl.constexpr = PAGE_SIZE_EL // BLOCK_SIZE
    pid = tl.program_id(0).to(tl.int64)
    block_index = pid // CHUNKS // N_SEGS
    if block_index >= n_blocks:
        return
    seg = (pid // CHUNKS) % N_SEGS
    chunk = pid % CHUNKS
    block = tl.load(ids_ptr + block_index).to(tl.int64)
    start = tl.load(addrs_ptr + seg).to(tl.pointer_type(tl.int32))
    offset = block * PAGE_SIZE_EL + chunk * BLOCK_SIZE
    tl.store(start + offset + tl.arange(0, BLOCK_SIZE), tl.zeros([BLOCK_SIZE], tl.int32))


def plan(table: SegmentTable, device: torch.device | str) -> Meta | None:
    """The meta tuple of a table whose strides are all equal.

    Raises:
        AssertionError: if two segments differ in stride, as the first planner did.
        ValueError: if a number is no multiple of 4 bytes.
    """
    if not len(table):
        return None
    require_whole_elements(table)
    pages = table.stride // ELEMENT
    others = pages[pages != pages[0]]
    if others.size:
        raise AssertionError(f"Non-uniform page sizes: {others[0]} vs {pages[0]}")
    return table.on(device, ELEMENT).base, int(pages[0]), common_chunk(pages), len(table)


def launch(meta: Meta, ids: torch.Tensor, kernel=kernel) -> None:
    """Clear the blocks whose ids stand in ``ids``, int64 ``[n]`` on the device."""
    addrs, page, chunk, segments = meta
    grid = (ids.numel() * segments * (page // chunk),)
    kernel[grid](addrs, ids, ids.numel(), N_SEGS=segments, PAGE_SIZE_EL=page, BLOCK_SIZE=chunk)
