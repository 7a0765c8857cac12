"""v5, our own: programs go through a list of chunks and through the ids; nothing is left to a grid's limits.

Planner rule: each page is cut into equal chunks, and only these stand in the list, so that pages of
different sizes leave no program idle. Of segments at one address with one stride the widest page counts.

None of the faults that the generations before it keep:

* A grid never has more programs than any device takes; what is left over is a loop inside. There is no
  number of ids or segments, and no width of a page, that a launcher would refuse or silently not run.
* The alignment that 16-byte stores need is worked out by the program, from the address that it clears, and
  not promised by the host: it is true whatever the table holds. Up to 15 bytes before and behind are
  stored singly. So sizes are granular to the byte.
* Offsets have 64 bits.
* There is one variant: counts (below 2^31) and lengths are arguments that are not specialised on.
* Ids are checked on the host before anything is sent (:func:`checked`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
import triton
import triton.language as tl

from kvzero.chunks import cut
from kvzero.ids import checked_ids
from kvzero.segments import SegmentTable

MOST_PROGRAMS = 65_535
"""Programs in a grid at most. Every device takes so many in whatever shape: Ascend's launcher 65,535 in all, CUDA's
driver as many on y; HIP's 2^32 work-items in a dimension are far, and so is a product that wraps in 32 bits."""

MANY_PROGRAMS = 2**20
"""The same where the device is a GPU: more programs even out what some have to wait for, 7 % on an H200 where pages
are odd. It is far from HIP's limit and CUDA's on x; y has its own."""

CHUNK = 16_384
"""Bytes of a chunk at most. A single id must still keep a whole device busy: DSV4's 181 pages are 363 chunks, for
132 processors of an H200."""

BLOCK_SIZE = 2048
"""Elements of four bytes that a program clears at a time: four 16-byte stores for each of its 128 threads."""

IDS_A_PROGRAM = 1
"""Ids that a program clears at least, if there are as many: more make fewer and longer programs."""

Meta = tuple[torch.Tensor, int | None, int, int]
"""(chunks, as rows of address in block 0, stride and length in bytes; blocks; elements at a time; number of chunks)"""


@triton.jit(do_not_specialize=["chunks_ptr", "ids_ptr", "n_chunks", "n_ids"])
def kernel(chunks_ptr, ids_ptr, n_chunks, n_ids, BLOCK_SIZE: tl.constexpr):
    """Clear every so many-th chunk of every so many-th id: x counts ids, y chunks.

    Neighbouring programs have one chunk of neighbouring ids, so all of them read the same row of the list. On an
    H200 that is as fast as the other way round or faster, up to 11 %.
    """
    lanes = tl.arange(0, BLOCK_SIZE)
    zeros = tl.zeros([BLOCK_SIZE], tl.int32)
    edge = tl.arange(0, 16)
    edge_zeros = tl.zeros([16], tl.int8)
    for chunk in range(tl.program_id(1).to(tl.int64), n_chunks, tl.num_programs(1)):
        addr = tl.load(chunks_ptr + chunk * 3)
        stride = tl.load(chunks_ptr + chunk * 3 + 1)
        length = tl.load(chunks_ptr + chunk * 3 + 2)
        for index in range(tl.program_id(0).to(tl.int64), n_ids, tl.num_programs(0)):
            start = addr + tl.load(ids_ptr + index) * stride
            end = start + length
            first = (start + 15) & -16
            last = tl.maximum(end & -16, first)
            tl.store(start.to(tl.pointer_type(tl.int8)) + edge, edge_zeros, mask=edge < tl.minimum(first, end) - start)
            tl.store(last.to(tl.pointer_type(tl.int8)) + edge, edge_zeros, mask=edge < end - last)
            body = tl.multiple_of(first.to(tl.pointer_type(tl.int32)), 16)
            # A multiple of four that the compiler can see: only then does a mask leave 16-byte stores whole.
            words = (last - first) // 16 * 4
            for done in range(0, words, BLOCK_SIZE):
                tl.store(body + done + lanes, zeros, mask=done + lanes < words)


def plan(table: SegmentTable, device: torch.device | str) -> Meta | None:
    """The meta tuple of a table, whatever its sizes are multiples of."""
    if not len(table):
        return None
    chunks = cut(table, CHUNK, MOST_PROGRAMS)
    return torch.from_numpy(chunks).to(device), table.blocks, BLOCK_SIZE, len(chunks)


def checked(meta: Meta, ids: Sequence[int]) -> np.ndarray:
    """The ids as int64 ``[n]``, none of them outside the table's blocks.

    A list with more ids than a grid has programs is rid of repeats: a kernel that goes through it would
    clear the same few pages for seconds.

    Raises:
        ValueError: if one is no integer.
        IndexError: if one is negative, or past the last block where the table tells their number.
    """
    found = checked_ids(ids, meta[1])
    return np.unique(found) if len(found) > MOST_PROGRAMS else found


def launch(meta: Meta, ids: torch.Tensor, kernel=kernel) -> None:
    """Clear the blocks whose ids stand in ``ids``, int64 ``[n]`` on the device."""
    table, _, block_size, _ = meta
    chunks, count = table.shape[0], ids.numel()
    kernel[grid(chunks, count, MANY_PROGRAMS if table.is_cuda else MOST_PROGRAMS)](
        table, ids, chunks, count, BLOCK_SIZE=block_size
    )


def grid(chunks: int, ids: int, most: int) -> tuple[int, int]:
    """Programs on x and y: no more than ``most`` in all, and on y no more than any device takes."""
    down = min(chunks, most, MOST_PROGRAMS)
    return min(-(-ids // IDS_A_PROGRAM), most // down), down
