"""What a target is given: a segment table or a layout, and whether it came back unchanged."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, Protocol

import numpy as np
import torch

from fuzz.arena import Arena
from fuzz.caches import caches
from fuzz.case import Case
from kvzero.segments import SegmentTable, Upload
from kvzero.specs import CacheLayout

Sent = MutableMapping[tuple[str, int], Upload]
"""What a table was sent as, by device and unit."""

Uploads = list[tuple[torch.Tensor, bytes]]
"""What a device holds of a table now, and what was sent to it."""


class Given(Protocol):
    """The first argument of a target."""

    @property
    def argument(self) -> Any:
        """The argument itself."""

    def uploads(self) -> Uploads:
        """Copies of what was sent to a device, on their way back; there once the arena has been read."""

    def changed(self, uploads: Uploads) -> bool:
        """Whether the target changed it, on the host or on a device."""


class GivenTable:
    """A case's segments.

    Args:
        case: a case with segments.
        columns: base, stride and page of each segment, int64 ``[3, segments]``.
        uploads: what was sent to devices already, or will be with other tables.
    """

    def __init__(self, case: Case, columns: np.ndarray, uploads: Sent | None = None) -> None:
        self._columns = columns
        self._told = columns.tobytes()
        base, stride, page = columns[0], columns[1], columns[2]
        blocks = case.blocks if case.blocks_known else None
        self.argument = SegmentTable(base, stride, page, blocks, {} if uploads is None else uploads)

    def uploads(self) -> Uploads:
        """The table's columns, wherever it was sent."""
        return [(one.packed.to("cpu", non_blocking=True), one.sent) for one in self.argument.uploads.values()]

    def changed(self, uploads: Uploads) -> bool:
        """Whether a column differs from what it was."""
        return self._columns.tobytes() != self._told or any(there.numpy().tobytes() != sent for there, sent in uploads)


class GivenLayout:
    """A case's layers, over the arena: every byte that a target could change is compared there."""

    def __init__(self, layout: CacheLayout) -> None:
        self.argument = layout

    def uploads(self) -> Uploads:
        """Nothing was sent."""
        return []

    def changed(self, uploads: Uploads) -> bool:  # noqa: ARG002
        """No."""
        return False


def given_of(case: Case, arena: Arena) -> Given:
    """What a case gives to its target, its memory the arena's."""
    origin = arena.fit(case)
    return GivenLayout(caches(case, arena.memory())) if case.layers else GivenTable(case, columns(case, origin))


def columns(case: Case, origin: int) -> np.ndarray:
    """Base, stride and page of each segment of the table, int64 ``[3, segments]``, bases from an address on."""
    segments = case.segments
    numbers = [s.base + origin for s in segments] + [s.stride for s in segments] + [s.page for s in segments]
    packed = np.array(numbers, np.int64).reshape(3, -1)
    times = [s.times for s in segments]
    return np.repeat(packed, times, axis=1) if max(times, default=1) > 1 else packed
