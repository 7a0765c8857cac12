"""Pages, strides and chunks that are not what the table says."""

from __future__ import annotations

import numpy as np
import torch
import triton
import triton.language as tl

from fuzz.bench.specimens.targets import LIMITS
from kvzero.generations import masked_grid, uniform_page
from kvzero.ids import checked_ids
from kvzero.segments import SegmentTable
from kvzero.staging import async_tensor_h2d
from kvzero.zeroer import KVBlockZeroer

ELEMENT = 4
WIDEST = 1024


def page_read_off_stride(table, device):
    """v1: the page is the stride (vllm#50276)."""
    return KVBlockZeroer.of(table, device, kernel="page_table").zero_block_ids


def span_of_a_stride(table, device):
    """Today's kernel, told the stride where it wants the page (vllm#52709)."""
    given = SegmentTable(table.base, table.stride, table.stride.copy(), table.blocks)
    return KVBlockZeroer.of(given, device, kernel="masked_grid").zero_block_ids


def steps_by_a_page(table, device):
    """From block to block it goes by one page, whatever lies between them (1Cat#280)."""
    given = SegmentTable(table.base, table.page.copy(), table.page, table.blocks)
    return KVBlockZeroer.of(given, device, kernel="masked_grid").zero_block_ids


def one_stride_for_all(table, device):
    """The constructor takes tables of one block stride only (vllm#49696)."""
    uniform_page.plan(table, device)
    return KVBlockZeroer.of(table, device, kernel="masked_grid").zero_block_ids


def one_page_for_all(table, device):
    """The constructor takes tables of one page only (ascend#16966)."""
    others = np.unique(table.page)
    if len(others) > 1:
        raise AssertionError(f"Non-uniform page sizes: {others[-1]} vs {others[0]}")
    return KVBlockZeroer.of(table, device, kernel="masked_grid").zero_block_ids


@triton.jit
def _whole_chunks(base_ptr, stride_ptr, page_ptr, ids_ptr, CHUNK: tl.constexpr):
    segment, chunk = tl.program_id(1), tl.program_id(2)
    if chunk >= tl.load(page_ptr + segment) // CHUNK:
        return
    start = tl.load(base_ptr + segment).to(tl.pointer_type(tl.int32))
    block = start + tl.load(ids_ptr + tl.program_id(0)) * tl.load(stride_ptr + segment)
    tl.store(block + chunk * CHUNK + tl.arange(0, CHUNK), tl.zeros([CHUNK], tl.int32))


def whole_chunks_only(table, device):
    """Wide chunks without a mask: what is left behind the last whole one stays."""
    widest = int(table.page.max()) // ELEMENT
    chunk = min(1 << (widest.bit_length() - 1), WIDEST)
    columns = table.on(device, ELEMENT)

    def zero(ids):
        if ids:
            grid = (len(ids), len(table), widest // chunk)
            _whole_chunks[grid](*columns, async_tensor_h2d(ids, torch.int64, device), CHUNK=chunk)

    return zero


def one_id_otherwise(table, device):
    """A path of its own for one id, never tested, that takes the first segment's page for all (vllm#46345)."""
    tested = KVBlockZeroer.of(table, device, kernel="masked_grid")
    page = np.full_like(table.page, table.page[0])
    other = KVBlockZeroer.of(SegmentTable(table.base, table.stride, page, table.blocks), device, kernel="masked_grid")

    def zero(ids):
        (other if len(ids) == 1 else tested).zero_block_ids(ids)

    return zero


def no_capacity(table, device):
    """Ids are checked, but not against the number of blocks (K3 disaggregation patch)."""
    meta = masked_grid.plan(table, device)

    def zero(ids):
        if ids:
            masked_grid.launch(meta, async_tensor_h2d(checked_ids(ids, None), torch.int64, device))

    return zero


for _target in (
    page_read_off_stride, span_of_a_stride, steps_by_a_page, one_stride_for_all, one_page_for_all,
    whole_chunks_only, one_id_otherwise, no_capacity,
):  # fmt: skip
    _target.limits, _target.virtual = LIMITS, True
