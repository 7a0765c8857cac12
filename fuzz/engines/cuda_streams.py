"""Streams of a CUDA device: gates are kernels that sleep, marks are events."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import torch

from fuzz.case import STREAMS

cuda: Any = torch.cuda
"""Half of what is used here has no types."""

MEASURED = 20_000_000
"""Cycles of the sleep that is measured: about ten milliseconds."""


FROM_ANOTHER_POOL = -1
"""A priority. Torch hands out 32 streams of each again and again, so a target that makes its own would now
and then get one of ours, and be right by chance."""


class CudaStreams:
    """The current stream, and others that torch made; made once a process."""

    def __init__(self) -> None:
        self._others = [cuda.Stream(priority=FROM_ANOTHER_POOL) for _ in range(STREAMS - 1)]
        self._capturing = cuda.Stream(priority=FROM_ANOTHER_POOL)
        self._captured = False
        self._cycles_a_second = _cycles_a_second()

    def on(self, stream: int) -> AbstractContextManager[Any]:
        """Within it, this stream is the current one."""
        if not stream:
            return contextlib.nullcontext()
        other: AbstractContextManager[Any] = cuda.stream(self._others[stream - 1])
        return other

    def gate(self, seconds: float) -> Any:
        """Let one thread of the device spin; the mark behind it."""
        cuda._sleep(int(seconds * self._cycles_a_second))  # noqa: SLF001 - torch has no public one
        return self.mark()

    def mark(self) -> Any:
        """An event, recorded on the current stream."""
        event = cuda.Event()
        event.record()
        return event

    def wait(self, mark: Any) -> None:
        """Let the current stream wait for an event."""
        cuda.current_stream().wait_event(mark)

    def passed(self, mark: Any) -> bool:
        """Ask the event, without waiting."""
        return bool(mark.query())

    def settle(self) -> None:
        """Wait for the whole device; raises what it reports."""
        cuda.synchronize()

    def writer(self, memory: torch.Tensor, places: np.ndarray, values: np.ndarray) -> Callable[[], None]:
        """Send places and values ahead, so that the write itself is one launch and no transfer."""
        if not len(places):
            return lambda: None
        where, what = torch.from_numpy(places).to(memory.device), torch.from_numpy(values).to(memory.device)
        return lambda: _scatter(memory, where, what)

    def captured(self, make: Callable[[], None]) -> Callable[[], None]:
        """Capture on a stream of its own.

        Not by ``torch.cuda.graph``, which gives all cached memory back first: what is allocated then makes
        the device wait, and calls would no longer be in flight together. The collector is off, because it
        may free a graph, which no capture survives.
        """
        self._captured = True
        graph = cuda.CUDAGraph()
        cuda.synchronize()
        collects = gc.isenabled()
        gc.disable()
        try:
            with cuda.stream(self._capturing):
                graph.capture_begin()
                try:
                    make()
                except BaseException:
                    with contextlib.suppress(Exception):
                        graph.capture_end()
                    raise
                graph.capture_end()
        finally:
            if collects:
                gc.enable()
        replay: Callable[[], None] = graph.replay
        return replay

    def release(self) -> None:
        """Empty torch's cache, which else keeps two megabytes for each graph that ever was."""
        if self._captured:
            self._captured = False
            cuda.empty_cache()


def _scatter(memory: torch.Tensor, where: torch.Tensor, what: torch.Tensor) -> None:
    memory.scatter_(0, where, what)


def _cycles_a_second() -> float:
    """Measured twice, because the first sleep waits for its kernel to be loaded and for the clock to rise."""
    cycles = 0.0
    for _ in range(2):
        start, stop = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        start.record()
        cuda._sleep(MEASURED)  # noqa: SLF001
        stop.record()
        cuda.synchronize()
        cycles = MEASURED / (start.elapsed_time(stop) * 1e-3)
    return cycles
