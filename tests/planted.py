"""Targets with one planted fault each, and what each must be found guilty of."""

from __future__ import annotations

import contextlib

import numpy as np
import torch
import triton
import triton.language as tl

from kvzero import Limits
from kvzero.segments import SegmentTable
from kvzero.zeroer import KVBlockZeroer


@triton.jit
def _low_bytes(base_ptr, stride_ptr, page_ptr, ids_ptr, WIDTH: tl.constexpr):
    segment = tl.program_id(1)
    page = tl.load(page_ptr + segment)
    block = tl.load(ids_ptr + tl.program_id(0))
    start = tl.load(base_ptr + segment).to(tl.pointer_type(tl.int8))
    columns = tl.arange(0, WIDTH) * 4
    first = start + block * tl.load(stride_ptr + segment)
    tl.store(first + columns, tl.zeros([WIDTH], tl.int8), mask=columns < page)


@triton.jit
def _store_first(address_ptr, VALUE: tl.constexpr):
    address = tl.load(address_ptr).to(tl.pointer_type(tl.int8))
    tl.store(address + tl.arange(0, 1), tl.zeros([1], tl.int8) + VALUE)


def _store_byte(address, value, device):
    _store_first[(1,)](torch.tensor([address], dtype=torch.int64, device=device), VALUE=value)


@triton.jit
def _read_byte(address_ptr, read_ptr):
    tl.store(read_ptr, tl.load(tl.load(address_ptr).to(tl.pointer_type(tl.int8))))


@triton.jit
def _wait_for_ever(flag_ptr):
    seen = tl.load(flag_ptr, volatile=True)
    while seen == 0:
        seen = tl.load(flag_ptr, volatile=True)


def low_byte(table, device):
    """Clears only the low byte of each word: stale:tail."""
    columns = table.on(device)
    width = triton.next_power_of_2(max(int(table.page.max()) // 4, 1))

    def zero(ids):
        if ids:
            on_device = torch.tensor(ids, dtype=torch.int64, device=device)
            _low_bytes[(len(ids), len(table))](columns.base, columns.stride, columns.page, on_device, WIDTH=width)

    return zero


low_byte.limits = Limits(page=2**18, segments=65_535)


def stray_byte(table, device):
    """Right, plus one byte in front of the first segment: clobbered:guard."""
    right = KVBlockZeroer.of(table, device, kernel="masked_grid").zero_block_ids

    def zero(ids):
        right(ids)
        if ids and min(ids) == 0:
            _store_byte(int(table.base.min()) - 1, 0, device)

    return zero


stray_byte.limits = Limits(segments=4096)


def endless(table, device):
    """Never comes back from eight segments: hung."""
    right = KVBlockZeroer.of(table, device, kernel="masked_grid").zero_block_ids

    def zero(ids):
        if len(table) == 8 and ids:
            _wait_for_ever[(1,)](torch.zeros(1, dtype=torch.int32, device=device))
        right(ids)

    return zero


def null_pointer(table, device):
    """Stores to address 0 where there are six segments: faulted:memory."""
    right = KVBlockZeroer.of(table, device, kernel="masked_grid").zero_block_ids

    def zero(ids):
        right(ids)
        if len(table) == 6 and ids:
            _store_byte(0, 0, device)

    return zero


def shifted_stride(table, device):
    """Right, then adds 4 to a stride of its caller's table: clobbered:table."""
    right = KVBlockZeroer.of(table, device, kernel="masked_grid").zero_block_ids

    def zero(ids):
        right(ids)
        table.stride[0] += 4

    return zero


def forgetful(table, device):
    """Clears only the first id of its second call: stale:whole page."""
    right = KVBlockZeroer.of(table, device, kernel="masked_grid").zero_block_ids
    calls = 0

    def zero(ids):
        nonlocal calls
        calls += 1
        right(ids[:1] if calls == 2 else ids)

    return zero


def reclears(table, device):
    """Clears the blocks of all earlier calls again: clobbered:other block."""
    right = KVBlockZeroer.of(table, device, kernel="masked_grid").zero_block_ids
    seen = []

    def zero(ids):
        seen.extend(ids)
        right(seen)

    return zero


_pages = {}


def remembers(table, device):
    """Clears no wider than the zeroer before it did, where that had as many segments: stale:tail in a sequence.

    Each zeroer leaves its own pages to the next, so what one case shows alone does not depend on where it stood.
    """
    page = np.minimum(_pages.get(len(table), table.page), table.page)
    right = KVBlockZeroer.of(
        SegmentTable(table.base, table.stride, page, table.blocks), device, kernel="masked_grid"
    ).zero_block_ids

    def zero(ids):
        right(ids)
        _pages[len(table)] = table.page.copy()

    return zero


def swallows(table, device):
    """Right, and hides whatever its kernel raises: never a false find where an engine gives up."""
    right = KVBlockZeroer.of(table, device, kernel="masked_grid").zero_block_ids

    def zero(ids):
        with contextlib.suppress(BaseException):
            right(ids)

    return zero


def eats_ids(table, device):
    """Right, but empties the caller's list: clobbered:ids."""
    right = KVBlockZeroer.of(table, device, kernel="masked_grid").zero_block_ids

    def zero(ids):
        right(ids)
        ids.clear()

    return zero


def writes_ones(table, device):
    """Writes 1 into the first byte of each cleared page of segment 0: wrong:head."""
    right = KVBlockZeroer.of(table, device, kernel="masked_grid").zero_block_ids

    def zero(ids):
        right(ids)
        for block in set(ids):
            _store_byte(int(table.base[0]) + block * int(table.stride[0]), 1, device)

    return zero


writes_ones.limits = Limits(ids=64, segments=4096)


def lazy(table, device):
    """Does nothing at all: skipped:none."""
    return lambda ids: None


@triton.jit
def _no_such_name(pointer):
    tl.store(pointer, undefined_name)  # noqa: F821 - the planted fault


def uncompilable(table, device):
    """Its kernel does not compile: rejected:compile on a GPU."""
    return lambda ids: _no_such_name[(1,)](torch.zeros(1, device=device))


def reads_behind(table, device):
    """Right, but reads the byte behind the last segment: seen where that is no memory of the case."""
    right = KVBlockZeroer.of(table, device, kernel="masked_grid").zero_block_ids
    behind = int((table.base + (table.blocks or 1) * table.stride).max())

    def zero(ids):
        right(ids)
        if ids:
            read = torch.zeros(1, dtype=torch.int8, device=device)
            _read_byte[(1,)](torch.tensor([behind], dtype=torch.int64, device=device), read)

    return zero


def right(table, device):
    """A right zeroer, for fixtures."""
    return KVBlockZeroer.of(table, device, kernel="masked_grid").zero_block_ids


not_callable = 7
