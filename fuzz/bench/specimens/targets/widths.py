"""Offsets in 32 bits: where a block begins is right only near a base."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from fuzz.bench.specimens.targets import LIMITS
from kvzero.staging import async_tensor_h2d

WIDTH = 1024
PRODUCT, SUM, BYTES, UNSIGNED = 0, 1, 2, 3


@triton.jit
def _in_32_bits(base_ptr, stride_ptr, page_ptr, ids_ptr, HOW: tl.constexpr, WIDTH: tl.constexpr):
    segment = tl.program_id(1)
    columns = tl.program_id(2) * WIDTH + tl.arange(0, WIDTH)
    mask = columns < tl.load(page_ptr + segment)
    block, stride = tl.load(ids_ptr + tl.program_id(0)), tl.load(stride_ptr + segment)
    start = tl.load(base_ptr + segment).to(tl.pointer_type(tl.int32))
    if HOW == 0:
        place = start + block.to(tl.int32) * stride.to(tl.int32) + columns
    elif HOW == 1:
        place = start + (block * stride + columns).to(tl.int32)
    else:
        low = tl.load(base_ptr + segment).to(tl.pointer_type(tl.int8))
        offset = (block * stride * 4).to(tl.int32)
        if HOW == 3:
            offset = offset.to(tl.uint32, bitcast=True).to(tl.int64)
        place = (low + offset).to(tl.pointer_type(tl.int32)) + columns
    tl.store(place, tl.zeros([WIDTH], tl.int32), mask=mask)


def _zeroer(table, device, how):
    columns = table.on(device, 4)
    chunks = triton.cdiv(int(table.page.max()) // 4, WIDTH)

    def zero(ids):
        if ids:
            there = async_tensor_h2d(ids, torch.int64, device)
            _in_32_bits[(len(ids), len(table), chunks)](*columns, there, HOW=how, WIDTH=WIDTH)

    return zero


def product_of_elements(table, device):
    """Block times stride in int32, counted in elements (vllm#47671)."""
    return _zeroer(table, device, PRODUCT)


def sum_of_elements(table, device):
    """Block times stride plus column in int32 (vllm#46222)."""
    return _zeroer(table, device, SUM)


def product_of_bytes(table, device):
    """Block times stride in int32, counted in bytes (syv-ai#86, tokenspeed#501)."""
    return _zeroer(table, device, BYTES)


def unsigned_bytes(table, device):
    """The same without a sign: past 2^32 bytes (triton#5022 and others)."""
    return _zeroer(table, device, UNSIGNED)


for _target in (product_of_elements, sum_of_elements, product_of_bytes, unsigned_bytes):
    _target.limits, _target.virtual = LIMITS, True
