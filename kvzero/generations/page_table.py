"""v1: a page size for each segment, still one flat grid (vllm#49704).

Planner rule: the page is still read off the block stride, and serves as both distance and span.

Faults kept: a page narrower than its stride is cleared up to the next block, past the end for the
last one (vllm#50276: 112,320 bytes); one odd page among wide ones makes every chunk one element, so
that real tables pass 2^31 programs (vllm#52058: 2,904,745,920).

The stored versions do not say whether segment and chunk counts were compile-time constants; here
they are run-time numbers that are not specialised on.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from kvzero.generations.elements import ELEMENT, common_chunk, require_whole_elements
from kvzero.segments import SegmentTable

Meta = tuple[torch.Tensor, torch.Tensor, int, int, int]
"""(addresses, pages in elements, chunks of the widest page, chunk in elements, segments)"""


@triton.jit(do_not_specialize=["n_blocks", "n_segs", "max_chunks"])
def kernel(addrs_ptr, pages_ptr, ids_ptr, n_blocks, n_segs, max_chunks, BLOCK_SIZE: tl.constexpr):
    """Clear one chunk if the segment's page has it; the page is the stride."""
    pid = tl.program_id(0)
    block_index = pid // (n_segs * max_chunks)
    if block_index >= n_blocks:
        return
    seg = (pid // max_chunks) % n_segs
    chunk = pid % max_chunks
    page = tl.load(pages_ptr + seg)
    if chunk >= page // BLOCK_SIZE:
        return
    block = tl.load(ids_ptr + block_index).to(tl.int64)
    start = tl.load(addrs_ptr + seg).to(tl.pointer_type(tl.int32))
    offset = block * page + chunk.to(tl.int64) * BLOCK_SIZE
    tl.store(start + offset + tl.arange(0, BLOCK_SIZE), tl.zeros([BLOCK_SIZE], tl.int32))


def plan(table: SegmentTable, device: torch.device | str) -> Meta | None:
    """The meta tuple of a table, each page taken from its segment's stride.

    Raises:
        ValueError: if a number is no multiple of 4 bytes.
    """
    if not len(table):
        return None
    require_whole_elements(table)
    pages = table.stride // ELEMENT
    chunk = common_chunk(pages)
    columns = table.on(device, ELEMENT)
    return columns.base, columns.stride, int(pages.max()) // chunk, chunk, len(table)


def launch(meta: Meta, ids: torch.Tensor, kernel=kernel) -> None:
    """Clear the blocks whose ids stand in ``ids``, int64 ``[n]`` on the device."""
    addrs, pages, max_chunks, chunk, segments = meta
    grid = (ids.numel() * segments * max_chunks,)
    kernel[grid](addrs, pages, ids, ids.numel(), segments, max_chunks, BLOCK_SIZE=chunk)
