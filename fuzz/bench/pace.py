"""How fast zeroers clear one geometry: all of them by turns, each found right before it is timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from statistics import median
from typing import Any, Protocol

import numpy as np
import torch

from fuzz.bench.geometries import Geometry
from fuzz.errors import EngineError
from kvzero.segments import SegmentTable

ALIGNMENT = 512
MARK = 0xA5
"""What is in the cache while a zeroer is checked."""

CONTIGUOUS = "contiguous fill"
"""The yardstick among the zeroers: as many bytes in a row, set to zero by torch."""

SLICE = 2**28
"""Bytes that are looked at at a time: a comparison takes as many again."""

COLD = 3
"""Calls of a zeroer that compile and fill caches, and are not timed."""

HOST_CALLS = 10
"""Calls in a row that the host's time is taken of, once a round; then the device is waited for, so that none of them
waits for it or for memory that it still reads."""

Zero = Callable[[list[int]], object]
Make = Callable[[SegmentTable, torch.device], Zero]


class Clock(Protocol):
    """Takes the time of a call on a device."""

    def seconds(self, call: Callable[[], object]) -> float:
        """Seconds that the device works for a call."""

    def settle(self) -> None:
        """Wait until the device has nothing to do."""


class Cache:
    """Segments one behind the other, each beginning like an allocation.

    Args:
        geometry: what they are like.
        device: where they lie.
    """

    def __init__(self, geometry: Geometry, device: torch.device) -> None:
        pages = np.array(geometry.pages, np.int64)
        lengths = -(-pages * geometry.blocks // ALIGNMENT) * ALIGNMENT
        self._starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        self._geometry = geometry
        self.memory = torch.empty(int(lengths.sum()), dtype=torch.uint8, device=device)
        self.table = SegmentTable(self.memory.data_ptr() + self._starts, pages, pages, geometry.blocks)

    def ids(self, call: int) -> list[int]:
        """Distinct blocks in no order, others for each call: so nothing that is cleared lies in a cache already."""
        shuffled: list[int] = np.random.default_rng(call).permutation(self._geometry.blocks).tolist()
        return shuffled[: self._geometry.ids]

    def right(self, zero: Zero) -> bool:
        """Whether a call clears its pages and not a byte more."""
        self.memory.fill_(MARK)
        ids = self.ids(0)
        zero(ids)
        chosen = torch.tensor(ids, device=self.memory.device)
        for start, page in zip(self._starts.tolist(), self._geometry.pages, strict=True):
            pages = self.memory[start : start + page * self._geometry.blocks].view(-1, page)
            if bool(pages[chosen].any()):
                return False
        kept = sum(
            int(torch.count_nonzero(self.memory[start : start + SLICE] == MARK))
            for start in range(0, len(self.memory), SLICE)
        )
        return kept == len(self.memory) - self._geometry.useful


def measured(
    geometry: Geometry,
    makers: Mapping[str, Make],
    device: torch.device,
    clock: Clock,
    rounds: int,
    known: Callable[[torch.Tensor], AbstractContextManager[object]],
) -> list[dict[str, Any]]:
    """A row a zeroer, and one of the yardstick: GB/s of useful bytes, median and extremes; the host's time for a call.

    Args:
        geometry: the cache and the call.
        makers: zeroers by name.
        device: where the cache lies.
        clock: takes the device's time.
        rounds: how often each is timed, by turns; the device's time first, then the host's.
        known: within it kernels may reach a cache's memory.

    Raises:
        EngineError: if a zeroer is wrong, or there is no room for the cache.
    """
    try:
        cache = Cache(geometry, device)
    except torch.OutOfMemoryError as error:
        raise EngineError(f"geometry={geometry.name}: no room for its cache on {device}: {error}") from None
    with known(cache.memory):
        zeroers = {name: make(cache.table, device) for name, make in makers.items()}
        zeroers[CONTIGUOUS] = _contiguous(geometry, device)
        for name, zero in zeroers.items():
            if name != CONTIGUOUS and not cache.right(zero):
                raise EngineError(f"target={name}: clears geometry {geometry.name} wrongly; a bench needs it right")
        lists = [cache.ids(call) for call in range(1, COLD + rounds + 1)]
        seconds: dict[str, list[float]] = {name: [] for name in zeroers}
        for call, ids in enumerate(lists):
            for name, zero in zeroers.items():
                took = clock.seconds(lambda zero=zero, ids=ids: zero(ids))  # type: ignore[misc]
                if call >= COLD:
                    seconds[name].append(took)
        host: dict[str, list[float]] = {name: [] for name in zeroers}
        for ids in lists[COLD:]:
            for name, zero in zeroers.items():
                host[name].append(_host(zero, ids, clock))
        return [_row(geometry, name, seconds[name], host[name]) for name in zeroers]


def _contiguous(geometry: Geometry, device: torch.device) -> Zero:
    region = torch.empty(geometry.useful, dtype=torch.uint8, device=device)
    return lambda _ids: region.fill_(0)


def _host(zero: Zero, ids: list[int], clock: Clock) -> float:
    """Seconds of the host for a call, some of them in a row, the device not waited for.

    One call more goes ahead: else whoever follows a target with long calls pays for cold caches.
    """
    zero(ids)
    clock.settle()
    begun = time.perf_counter()
    for _ in range(HOST_CALLS):
        zero(ids)
    took = time.perf_counter() - begun
    clock.settle()
    return took / HOST_CALLS


def _row(geometry: Geometry, name: str, seconds: list[float], host: list[float]) -> dict[str, Any]:
    def rate(took: float) -> float:
        return round(geometry.useful / took / 1e9, 1)

    return {
        "geometry": geometry.name,
        "target": name,
        "bytes": geometry.useful,
        "microseconds": round(median(seconds) * 1e6, 1),
        "gb_per_second": rate(median(seconds)),
        "fastest": rate(min(seconds)),
        "slowest": rate(max(seconds)),
        "host_microseconds": round(median(host) * 1e6, 1),
    }
