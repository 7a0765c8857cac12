"""The kernels of :mod:`fuzz.device_check`: poison made and compared where it lies."""

from __future__ import annotations

import triton
import triton.language as tl

PATCH = tl.constexpr(2**14)
"""Words under one hash of 28 bits; a tile lies in one patch, so that the hash is worked out once a tile and not once
a word. Patches of up to 2^48 bytes have different 32-bit hashes, of which a bit of each byte is not used."""

STEP = tl.constexpr(0x9E3779B1)
FOLD = tl.constexpr(15)
FIRST, SECOND = tl.constexpr(0x85EBCA6B), tl.constexpr(0xC2B2AE35)
ODD, REST = tl.constexpr(0x01010101), tl.constexpr(0xFEFEFEFE)


@triton.jit
def _poison(first, TILE: tl.constexpr):
    """The poison of the tile at word ``first``, as :func:`fuzz.device_check.words` has it."""
    patch = (first // PATCH).to(tl.uint32)
    patch ^= patch >> 16
    patch *= FIRST
    patch ^= patch >> 13
    patch *= SECOND
    patch ^= patch >> 16
    pattern = (first % PATCH).to(tl.uint32) + tl.arange(0, TILE).to(tl.uint32)
    pattern *= STEP
    pattern ^= pattern >> FOLD
    return (pattern | ODD) ^ (patch & REST)


@triton.jit
def _either(one, other):
    return one | other


@triton.jit
def lay(memory_ptr, TILE: tl.constexpr):
    """Poison a tile."""
    first = tl.program_id(0).to(tl.int64) * TILE
    tl.store(memory_ptr + first + tl.arange(0, TILE), _poison(first, TILE).to(tl.int32, bitcast=True))


@triton.jit
def check(
    memory_ptr,
    edges_ptr,
    before_ptr,
    flags_ptr,
    size,
    TILE: tl.constexpr,
    SPLITS_WORDS: tl.constexpr,
):
    """Flag a tile in which a word differs from the poison where it is kept, from zero where it is not.

    ``before`` counts the edges up to the start of each tile; an odd number of edges up to a byte means
    that it must be zero. So each edge turns what is expected of the bytes behind it from poison to zero or back,
    which in the difference is one xor; a mask of what is kept would take twice the registers.
    """
    tile = tl.program_id(0)
    first = tile.to(tl.int64) * TILE
    columns = tl.arange(0, TILE)
    found = tl.load(memory_ptr + first + columns).to(tl.uint32, bitcast=True)
    low = tl.load(before_ptr + tile)
    high = tl.load(before_ptr + tile + 1)
    poison = _poison(first, TILE)
    outside = (low & 1).to(tl.uint32) - 1  # all bits where an even number of edges came before
    differs = found ^ (poison & outside)
    for edge in tl.range(low, high, loop_unroll_factor=1):
        place = tl.load(edges_ptr + edge) - first * 4
        word = (place >> 2).to(tl.int32)
        if SPLITS_WORDS:
            differs ^= tl.where(columns > word, poison, 0)
            behind = tl.full([], 0xFFFFFFFF, tl.uint32) << ((place & 3) * 8).to(tl.uint32)
            differs ^= tl.where(columns == word, poison & behind, 0)
        else:
            differs ^= tl.where(columns >= word, poison, 0)
    if first + TILE > size:
        differs = tl.where(first + columns < size, differs, 0)
    tl.store(flags_ptr + tile, (tl.reduce(differs, 0, _either) != 0).to(tl.int8))
