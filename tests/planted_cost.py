"""Right kernels that cost a known share more than ``chunk_list``: the trial of a gate with a limit on cost.

Each of their programs does what one of ``chunk_list``'s does, and then writes that share of its bytes once more, to
scratch memory where no other program writes: so what a device writes grows by the share, and with it the time of a
kernel that memory bounds, be the call long or short.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import torch
import triton
import triton.language as tl

from kvzero import Limits
from kvzero.generations import chunk_list
from kvzero.staging import async_tensor_h2d
from kvzero.warmup import warm_up

WORD, SECTOR = 4, 32
"""Bytes of what is stored, and of the least that a GPU's memory takes at a time."""

MOST = 2**31
"""Bytes of scratch memory at most: a twentieth of the largest call that is timed, and of no cache of terabytes."""


@triton.jit(do_not_specialize=["chunks_ptr", "ids_ptr", "n_chunks", "n_ids", "scratch_ptr", "words"])
def _and_more(chunks_ptr, ids_ptr, n_chunks, n_ids, scratch_ptr, words, BLOCK_SIZE: tl.constexpr):
    chunk_list.kernel(chunks_ptr, ids_ptr, n_chunks, n_ids, BLOCK_SIZE)
    program = tl.program_id(1).to(tl.int64) * tl.num_programs(0) + tl.program_id(0)
    lanes = tl.arange(0, 128)
    for done in range(0, words, 128):
        place = scratch_ptr + program * words + done + lanes
        tl.store(place, tl.zeros([128], tl.int32), mask=done + lanes < words)


class _Dearer:
    """The kernel, as :func:`kvzero.generations.chunk_list.launch` starts one.

    Args:
        share: of a call's bytes that is written once more.
        block: bytes of a block in all segments.
    """

    def __init__(self, share: float, block: int) -> None:
        self._share = share
        self._block = block

    def __getitem__(self, grid: tuple[int, ...]) -> Callable[..., Any]:
        programs = prod(grid)

        def run(table: torch.Tensor, ids: torch.Tensor, chunks: int, count: int, **constants: int) -> None:
            sectors = round(min(self._share * self._block * count, MOST) / SECTOR / programs)
            words = sectors * (SECTOR // WORD)
            scratch = torch.empty(max(words * programs, 1), dtype=torch.int32, device=table.device)
            _and_more[grid](table, ids, chunks, count, scratch, words, **constants)

        return run


def _dearer(share: float) -> Callable:
    def zeroer(table, device):
        meta, kernel = chunk_list.plan(table, device), _Dearer(share, int(table.page.sum()))

        def upload(ids):
            return async_tensor_h2d(ids, torch.int64, device)

        def zero(ids):
            if len(ids):
                chunk_list.launch(meta, upload(chunk_list.checked(meta, ids)), kernel)

        zero.warmup = lambda blocks: warm_up(chunk_list, meta, kernel, upload, device) if blocks else None
        return zero

    zeroer.virtual = True
    zeroer.limits = Limits(unit=1)
    return zeroer


five_per_cent = _dearer(0.05)
one_per_cent = _dearer(0.01)
nothing = _dearer(0.0)
