"""Times two zeroers on the same buffers with the same ids, by turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from math import prod
from typing import Any

import torch

from fuzz.bench.geometries import Geometry
from fuzz.bench.pace import COLD, Cache, Clock, Make, Zero
from fuzz.bench.pair import Pair, chunks
from fuzz.errors import EngineError

SECONDS = 0.2
"""For the rounds of one geometry: where calls are short, and so ratios coarse, there are more of them."""

FEWEST, MOST = 40, 400
"""Rounds of a geometry."""


def paired(
    geometry: Geometry,
    makers: tuple[Make, Make],
    device: torch.device,
    clock: Clock,
    known: Callable[[torch.Tensor], AbstractContextManager[object]],
    rounds: tuple[int, int] = (FEWEST, MOST),
) -> Pair | None:
    """Time two zeroers; None if the first clears the geometry wrongly.

    In each round both get the same ids, and who begins changes from round to round: neither gains from what the
    other left in a cache.

    Args:
        geometry: the cache and the call.
        makers: make the zeroers.
        device: where the cache lies.
        clock: takes the device's time.
        known: within it kernels may reach a cache's memory.
        rounds: fewest and most.

    Raises:
        EngineError: if there is no room for the cache.
    """
    try:
        cache = Cache(geometry, device)
    except torch.OutOfMemoryError as error:
        raise EngineError(f"geometry={geometry.name}: no room for its cache on {device}: {error}") from None
    with known(cache.memory):
        first, second = (make(cache.table, device) for make in makers)
        if not cache.right(first):
            return None
        programs = _programs(first, cache.ids(0)), _programs(second, cache.ids(0))
        seconds = _timed((first, second), cache, clock, rounds)
    return Pair(geometry.name, chunks(geometry), seconds, programs)


def _timed(
    zeroers: tuple[Zero, Zero], cache: Cache, clock: Clock, rounds: tuple[int, int]
) -> tuple[list[float], list[float]]:
    """Seconds of each, round by round; calls that compile and fill caches are none of them."""
    seconds: tuple[list[float], list[float]] = ([], [])
    fewest, most = rounds
    begun, call = 0.0, 0
    while len(seconds[0]) < fewest or (len(seconds[0]) < most and time.perf_counter() - begun < SECONDS):
        call += 1
        if call == COLD + 1:
            begun = time.perf_counter()
        ids = cache.ids(call)
        for which in (0, 1) if call % 2 else (1, 0):
            took = clock.seconds(lambda zero=zeroers[which], ids=ids: zero(ids))  # type: ignore[misc]
            if call > COLD:
                seconds[which].append(took)
    return seconds


def _programs(zero: Zero, ids: Sequence[int]) -> int:
    """How many programs a call launches through Triton."""
    from fuzz.engines.launch_hook import Watched  # noqa: PLC0415 - Triton only after the engine chose its mode

    count = 0

    def counted(launch: Any) -> tuple[int, ...]:
        nonlocal count
        grid: tuple[int, ...] = launch.grid
        count += prod(grid)
        return grid

    with Watched(counted):
        zero(list(ids))
    return count
