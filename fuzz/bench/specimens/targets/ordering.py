"""Right kernels whose ids, or whose launches, overtake each other; only a GPU has calls in flight together."""

from __future__ import annotations

import itertools

import torch

from kvzero.generations import masked_grid
from kvzero.segments import Limits
from kvzero.staging import async_tensor_h2d

MOST = 64
"""Ids that a buffer holds."""


def _through_a_ring(table, device, buffers):
    """Ids go through pinned buffers by turns, and a buffer is used again whether or not its copy is over."""
    meta, turn = masked_grid.plan(table, device), itertools.count()
    ring = [torch.empty(MOST, dtype=torch.int64, pin_memory=torch.cuda.is_available()) for _ in range(buffers)]

    def zero(ids):
        if ids:
            buffer = ring[next(turn) % buffers][: len(ids)]
            buffer.copy_(torch.tensor(ids))
            masked_grid.launch(meta, buffer.to(device, non_blocking=True))

    return zero


def one_pinned_buffer(table, device):
    """All calls share one buffer (vllm#48085)."""
    return _through_a_ring(table, device, 1)


def two_pinned_buffers(table, device):
    """A ring that is one too short for three calls in flight (TensorRT-LLM#15546)."""
    return _through_a_ring(table, device, 2)


def unwaited_stream(table, device):
    """Clears on a stream of its own that later work does not wait for: a load is wiped (vllm#50696)."""
    meta, own = masked_grid.plan(table, device), torch.cuda.Stream()

    def zero(ids):
        if ids:
            own.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(own):
                masked_grid.launch(meta, async_tensor_h2d(ids, torch.int64, device))

    return zero


for _target in (one_pinned_buffer, two_pinned_buffers, unwaited_stream):
    _target.limits = Limits(ids=MOST, segments=4096)
