"""Targets whose calls go wrong only when they overlap, and right ones that look alike.

Their kernel is today's upstream one; the faults lie in how ids reach the device, on which stream a
launch is made, and in what is kept between calls.
"""

from __future__ import annotations

import itertools

import torch

from kvzero import Limits
from kvzero.generations import masked_grid
from kvzero.staging import async_tensor_h2d
from kvzero.zeroer import KVBlockZeroer

MOST = 64
"""Ids that a buffer holds."""

SLOTS = 256
"""Buffers that are never used twice: more than the calls that are made on one zeroer."""

_tiles = {}


def _pinned(*shape):
    return torch.empty(shape, dtype=torch.int64, pin_memory=torch.cuda.is_available())


def _launcher(table, device):
    meta = masked_grid.plan(table, device)
    return lambda ids: masked_grid.launch(meta, ids)


def _sent(buffer, ids, device):
    """Ids on the device by way of a pinned buffer, without waiting for the copy."""
    buffer[: len(ids)] = torch.tensor(ids)
    return buffer[: len(ids)].to(device, non_blocking=True)


def one_buffer(table, device):
    """All calls share one pinned buffer (vllm#48085): the next one overwrites ids that were not copied yet."""
    launch, buffer = _launcher(table, device), _pinned(MOST)

    def zero(ids):
        if ids:
            launch(_sent(buffer, ids, device))

    return zero


def ring_of_two(table, device):
    """The same with two buffers by turns: three calls in flight are one too many."""
    launch, ring, turn = _launcher(table, device), [_pinned(MOST), _pinned(MOST)], itertools.count()

    def zero(ids):
        if ids:
            launch(_sent(ring[next(turn) % 2], ids, device))

    return zero


def wrong_stream(table, device):
    """Ids go to the device on a stream of their own, which waits for no launch that still needs the last ones."""
    launch, side = _launcher(table, device), torch.cuda.Stream()
    there = torch.empty(MOST, dtype=torch.int64, device=device)

    def zero(ids):
        if ids:
            with torch.cuda.stream(side):
                there[: len(ids)].copy_(torch.tensor(ids))
            side.synchronize()
            launch(there[: len(ids)])

    return zero


def own_stream(table, device):
    """Launches on a stream of its own and waits for nobody: a page is cleared before an older write to it."""
    launch, own = _launcher(table, device), torch.cuda.Stream()

    def zero(ids):
        if ids:
            with torch.cuda.stream(own):
                launch(async_tensor_h2d(ids, torch.int64, device))

    return zero


def captured_buffer(table, device):
    """Says that it can be captured, but its graph reads a buffer that later calls overwrite."""
    launch, buffer = _launcher(table, device), _pinned(MOST)

    def zero(ids):
        if ids:
            launch(_sent(buffer, ids, device))
            if not torch.cuda.is_current_stream_capturing():
                torch.cuda.current_stream().synchronize()

    return zero


captured_buffer.capturable = True


def cached_tile(table, device):
    """Keeps how wide to launch by the table's address, which a later table may have: stale:tail.

    One case makes one zeroer, so it is right in every case by itself; it takes two in turn.
    """
    columns = table.on(device, 4)
    key = (columns.page.data_ptr(), len(table))
    if key not in _tiles:
        _tiles[key] = masked_grid.plan(table, device)[3:5]
    meta = (columns.base, columns.stride, columns.page, *_tiles[key], len(table))

    def zero(ids):
        if ids:
            masked_grid.launch(meta, async_tensor_h2d(ids, torch.int64, device))

    return zero


def right(table, device):
    """A fresh pinned tensor for each call, on the current stream."""
    return KVBlockZeroer.of(table, device, kernel="masked_grid").zero_block_ids


def ring_of_eight(table, device):
    """Buffers by turns, each used again only when its copy is over."""
    launch, turn = _launcher(table, device), itertools.count()
    ring = [(_pinned(MOST), torch.cuda.Event()) for _ in range(8)]

    def zero(ids):
        if ids:
            buffer, copied = ring[next(turn) % 8]
            copied.synchronize()
            there = _sent(buffer, ids, device)
            copied.record()
            launch(there)

    return zero


def own_stream_in_order(table, device):
    """Launches on a stream of its own that waits for the current one, which then waits for it."""
    launch, own = _launcher(table, device), torch.cuda.Stream()

    def zero(ids):
        if ids:
            own.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(own):
                launch(async_tensor_h2d(ids, torch.int64, device))
            torch.cuda.current_stream().wait_stream(own)

    return zero


def captured_slots(table, device):
    """Can be captured: each call has a buffer that no other call ever gets."""
    launch, turn = _launcher(table, device), itertools.count()
    buffers, there = _pinned(SLOTS, MOST), torch.empty(SLOTS, MOST, dtype=torch.int64, device=device)

    def zero(ids):
        if ids:
            slot = next(turn)
            buffers[slot, : len(ids)] = torch.tensor(ids)
            there[slot, : len(ids)].copy_(buffers[slot, : len(ids)], non_blocking=True)
            launch(there[slot, : len(ids)])

    return zero


captured_slots.capturable = True

for _target in (one_buffer, ring_of_two, wrong_stream, captured_buffer, ring_of_eight, captured_slots):
    _target.limits = Limits(ids=MOST, segments=4096)
