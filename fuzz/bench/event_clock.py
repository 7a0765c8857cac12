"""Time on a CUDA device by its own events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from fuzz.bench.first_work import FirstWork

ASLEEP = 800_000
"""Cycles that the device sleeps while a call is made: two fifths of a millisecond, so that the host's pace, tens of
microseconds slower while a call is watched, is no part of what is measured."""

LONGEST = 8 * ASLEEP
"""The most that it sleeps where a host is slower than that: a call that waits for the device is never fast enough."""


class EventClock:
    """A device's own events, from a call's first kernel to its end: the upload of ids lies before that.

    A kernel is a launch of Triton's or an operator of torch's. A call in which neither is seen counts from its start.
    One that is made more slowly than the device sleeps is timed again behind a sleep twice as long, and so are those
    that come after it: a kernel of four microseconds would be charged as many again of the host's.
    """

    def __init__(self) -> None:
        self._asleep = ASLEEP

    def seconds(self, call: Callable[[], object]) -> float:
        """Seconds that the device works for a call, which is made again where the host was too slow."""
        took, late = self._timed(call)
        while late and self._asleep < LONGEST:
            self._asleep *= 2
            took, late = self._timed(call)
        return took

    def settle(self) -> None:
        """Wait until the device has nothing to do."""
        torch.cuda.synchronize()

    def _timed(self, call: Callable[[], object]) -> tuple[float, bool]:
        """Seconds of the device, and whether it woke up before the call was made."""
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

        torch.cuda._sleep(self._asleep)  # type: ignore[no-untyped-call]  # noqa: SLF001 - torch has no public one
        begin.record()
        with Watched(launched), FirstWork(start):
            call()
        late = bool(begin.query())  # type: ignore[no-untyped-call]
        end.record()
        torch.cuda.synchronize()
        return float(begin.elapsed_time(end)) / 1e3, late
