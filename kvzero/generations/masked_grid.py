"""v4: a 3-D grid of ids, segments and masked wide chunks (vllm#52058, the newest upstream kernel).

Planner rule: as v2, but a chunk is as wide as the widest page allows, up to 1,024 elements, and a
mask cuts the tail.

Faults kept: 65,536 segments are refused on y; a page over 67,107,840 elements is refused on z; a
grid whose product wraps in 32 bits is silently not run (triton#7260); ids are not checked, so one
outside the cache writes outside it.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from kvzero.generations.elements import ELEMENT, MAX_CHUNK, require_whole_elements
from kvzero.segments import SegmentTable

Meta = tuple[torch.Tensor, torch.Tensor, torch.Tensor, int, int, int]
"""(addresses, strides, pages, chunks of the widest page, chunk, segments), counted in elements"""


@triton.jit
def kernel(addrs_ptr, strides_ptr, pages_ptr, ids_ptr, BLOCK_SIZE: tl.constexpr):
    """Clear one chunk up to the page's end: x is the id, y the segment, z the chunk."""
    seg = tl.program_id(1)
    page = tl.load(pages_ptr + seg)
    first = tl.program_id(2).to(tl.int64) * BLOCK_SIZE
    if first >= page:
        return
    block = tl.load(ids_ptr + tl.program_id(0)).to(tl.int64)
    stride = tl.load(strides_ptr + seg).to(tl.int64)
    start = tl.load(addrs_ptr + seg).to(tl.pointer_type(tl.int32))
    columns = first + tl.arange(0, BLOCK_SIZE)
    tl.store(start + block * stride + columns, tl.zeros([BLOCK_SIZE], tl.int32), mask=columns < page)


def plan(table: SegmentTable, device: torch.device | str) -> Meta | None:
    """The meta tuple of a table.

    Raises:
        ValueError: if a number is no multiple of 4 bytes.
    """
    if not len(table):
        return None
    require_whole_elements(table)
    widest = int(table.page.max()) // ELEMENT
    chunk = min(1 << (widest - 1).bit_length(), MAX_CHUNK)
    columns = table.on(device, ELEMENT)
    return columns.base, columns.stride, columns.page, -(-widest // chunk), chunk, len(table)


def launch(meta: Meta, ids: torch.Tensor, kernel=kernel) -> None:
    """Clear the blocks whose ids stand in ``ids``, int64 ``[n]`` on the device."""
    addrs, strides, pages, max_chunks, chunk, segments = meta
    grid = (ids.numel(), segments, max_chunks)
    kernel[grid](addrs, strides, pages, ids, BLOCK_SIZE=chunk)
