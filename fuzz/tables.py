"""The segment tables of a batch: whatever unit a target counts in, all of them go to the device in one upload."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
import torch

from fuzz.case import Case
from fuzz.given import GivenTable, Uploads
from kvzero.segments import SegmentTable, Upload

ALIGNED = 2
"""Columns are int64, and a table begins at a multiple of 16 bytes, as if it had an upload of its own."""


class Tables:
    """Some tables, their columns packed one after the other.

    Args:
        columns: base, stride and page of each table in bytes, int64 ``[3, segments]`` each.
    """

    def __init__(self, columns: list[np.ndarray]) -> None:
        sizes = [one.size + one.size % ALIGNED for one in columns]
        *self._starts, total = accumulate(sizes, initial=0)
        self._columns = columns
        self._widths = [one.shape[1] for one in columns]
        self._packed = np.zeros(total, np.int64)
        self._sizes = np.zeros(total, bool)
        for start, one in zip(self._starts, columns, strict=True):
            self._packed[start : start + one.size] = one.ravel()
            self._sizes[start + one.shape[1] : start + one.size] = True
        self._sent: dict[tuple[str, int], tuple[torch.Tensor, np.ndarray]] = {}
        self._back: list[tuple[torch.Tensor, np.ndarray]] = []

    def given(self, number: int, case: Case) -> SharedTable:
        """One table as its target gets it."""
        return SharedTable(self, number, GivenTable(case, self._columns[number], Slices(self, number)))

    def upload(self, key: tuple[str, int], number: int) -> Upload:
        """One table on a device, its sizes in a unit; the first that is asked for brings all the others along."""
        if key not in self._sent:
            device, unit = key
            columns = self._packed.copy()
            columns[self._sizes] //= unit
            self._sent[key] = torch.from_numpy(columns).to(device, copy=True), columns
        there, _ = self._sent[key]
        width = self._widths[number]
        return Upload(there.as_strided((3, width), (width, 1), self._starts[number]), b"")

    def fetch(self) -> None:
        """Send what the devices hold back to the host, without waiting for it."""
        for there, sent in self._sent.values():
            back = torch.empty(len(sent), dtype=torch.int64, pin_memory=there.is_cuda)
            self._back.append((back.copy_(there, non_blocking=True), sent))

    @cached_property
    def _intact(self) -> bool:
        return all(np.array_equal(back.numpy(), sent) for back, sent in self._back)

    def returned(self, number: int) -> Uploads:
        """A table as it came back from each device, beside what was sent there; nothing if all tables are intact."""
        if self._intact:
            return []
        start = self._starts[number]
        stop = start + 3 * self._widths[number]
        return [(back[start:stop], sent[start:stop].tobytes()) for back, sent in self._back]


class Slices(dict[tuple[str, int], Upload]):
    """A table's uploads as its share of the batch's; it holds none itself."""

    def __init__(self, tables: Tables, number: int) -> None:
        super().__init__()
        self._tables = tables
        self._number = number

    def __missing__(self, key: tuple[str, int]) -> Upload:
        return self._tables.upload(key, self._number)


@dataclass(frozen=True)
class SharedTable:
    """A table of the batch as what a target is given: compared with what the whole batch got back."""

    tables: Tables
    number: int
    table: GivenTable

    @property
    def argument(self) -> SegmentTable:
        """The table itself."""
        return self.table.argument

    def uploads(self) -> Uploads:
        """What came back."""
        return self.tables.returned(self.number)

    def changed(self, uploads: Uploads) -> bool:
        """Whether a column differs from what it was."""
        return self.table.changed(uploads)
