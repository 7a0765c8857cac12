"""Time on a CUDA device by its own events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from fuzz.bench.first_work import FirstWork

ASLEEP = 800_000
"""Cycles that the device sleeps while a call is made: two fifths of a millisecond, so that the host's pace, tens of
microseconds slower while a call is watched, is no part of what is measured."""


class EventClock:
    """A device's own events, from a call's first kernel to its end: the upload of ids lies before that.

    A kernel is a launch of Triton's or an operator of torch's. A call in which neither is seen counts from its start.
    """

    def seconds(self, call: Callable[[], object]) -> float:
        """Seconds that the device works for a call."""
        from fuzz.engines.launch_hook import Watched  # noqa: PLC0415 - Triton only after the engine chose its mode

        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
        started = False

        def start() -> None:
            nonlocal started
            if not started:
                begin.record()
            started = True

        def launched(launch: Any) -> tuple[int, ...]:
            start()
            grid: tuple[int, ...] = launch.grid
            return grid

        torch.cuda._sleep(ASLEEP)  # type: ignore[no-untyped-call]  # noqa: SLF001 - torch has no public one
        begin.record()
        with Watched(launched), FirstWork(start):
            call()
        end.record()
        torch.cuda.synchronize()
        return float(begin.elapsed_time(end)) / 1e3

    def settle(self) -> None:
        """Wait until the device has nothing to do."""
        torch.cuda.synchronize()
