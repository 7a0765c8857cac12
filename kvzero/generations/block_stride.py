"""v2: stride apart from page, still one flat grid (vllm#50276).

Planner rule: distance and span are two numbers; the span is the page's own.

Fault kept: the flat grid overflows at 2^31 programs; the chunk is the widest power of two that
divides every page, so one odd page multiplies the grid by a thousand (vllm#52058).

Reconstructed from the description, its test and a later port; the upstream file itself is not
stored anywhere that was read.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from kvzero.generations.elements import ELEMENT, common_chunk, require_whole_elements
from kvzero.segments import SegmentTable

Meta = tuple[torch.Tensor, torch.Tensor, torch.Tensor, int, int, int]
"""(addresses, strides, pages, chunks of the widest page, chunk, segments), counted in elements"""


@triton.jit(do_not_specialize=["n_blocks", "n_segs", "max_chunks"])
def kernel(addrs_ptr, strides_ptr, pages_ptr, ids_ptr, n_blocks, n_segs, max_chunks, BLOCK_SIZE: tl.constexpr):
    """Clear one chunk if the segment's page has it."""
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
    stride = tl.load(strides_ptr + seg)
    start = tl.load(addrs_ptr + seg).to(tl.pointer_type(tl.int32))
    offset = block * stride + chunk.to(tl.int64) * BLOCK_SIZE
    tl.store(start + offset + tl.arange(0, BLOCK_SIZE), tl.zeros([BLOCK_SIZE], tl.int32))


def plan(table: SegmentTable, device: torch.device | str) -> Meta | None:
    """The meta tuple of a table, stride and page each its own column.

    Raises:
        ValueError: if a number is no multiple of 4 bytes.
    """
    if not len(table):
        return None
    require_whole_elements(table)
    pages = table.page // ELEMENT
    chunk = common_chunk(pages)
    columns = table.on(device, ELEMENT)
    return columns.base, columns.stride, columns.page, int(pages.max()) // chunk, chunk, len(table)


def launch(meta: Meta, ids: torch.Tensor, kernel=kernel) -> None:
    """Clear the blocks whose ids stand in ``ids``, int64 ``[n]`` on the device."""
    addrs, strides, pages, max_chunks, chunk, segments = meta
    grid = (ids.numel() * segments * max_chunks,)
    kernel[grid](addrs, strides, pages, ids, ids.numel(), segments, max_chunks, BLOCK_SIZE=chunk)
