"""A case whose storages are allocations of their own, so that a checker of memory knows where each one ends."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch

from fuzz.case import ALIGNMENT, WHOLE, Case
from kvzero.segments import SegmentTable

FILL = 0xA5
"""What is in a storage before a call."""


class Storage(NamedTuple):
    """Bytes ``first`` to ``stop`` of a case, counted like its bases, that lie in one allocation."""

    first: int
    stop: int

    @property
    def start(self) -> int:
        """Where its allocation begins: a multiple of 512 bytes like the case's own, so that bases stay as aligned.

        Two storages that lie closer than that may have the same.
        """
        return self.first // ALIGNMENT * ALIGNMENT

    @property
    def size(self) -> int:
        """Bytes of its allocation, which ends where its last segment does."""
        return self.stop - self.start


def storages(case: Case) -> list[Storage]:
    """The storages of a case by first byte: segments that share bytes, or interleave, share one."""
    found: list[Storage] = []
    for first, stop in sorted((s.base, s.base + s.length) for s in case.segments):
        if found and first < found[-1].stop:
            found[-1] = Storage(found[-1].first, max(found[-1].stop, stop))
        else:
            found.append(Storage(first, stop))
    return found


def unfit(case: Case) -> str | None:
    """Why a case cannot be laid out so, in words; None if it can."""
    if case.domain != "contract":
        return "hostile input may be written anywhere"
    if not case.segments:
        return "only segments are laid out one by one"
    if case.overlaps:
        return "calls in flight together are not checked for memory"
    if any(segment.base < 0 for segment in case.segments):
        return "a segment begins before its storage"
    if sum(storage.size for storage in storages(case)) > WHOLE:
        return f"its storages are more than {WHOLE} bytes"
    return None


def laid(case: Case, device: torch.device) -> tuple[SegmentTable, list[torch.Tensor]]:
    """A case's table, and the memory that it points into, filled and an allocation each."""
    found = storages(case)
    memory = [torch.full((storage.size,), FILL, dtype=torch.uint8, device=device) for storage in found]
    firsts = np.array([storage.first for storage in found], np.int64)
    starts = np.array([storage.start for storage in found], np.int64)
    addresses = np.array([one.data_ptr() for one in memory], np.int64)
    segments = [segment for segment in case.segments for _ in range(segment.times)]
    base = np.array([segment.base for segment in segments], np.int64)
    which = np.searchsorted(firsts, base, side="right") - 1
    return (
        SegmentTable(
            addresses[which] + base - starts[which],
            np.array([segment.stride for segment in segments], np.int64),
            np.array([segment.page for segment in segments], np.int64),
            case.blocks if case.blocks_known else None,
        ),
        memory,
    )
