"""Streams of a device, and what puts calls on them in flight together."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np
import torch


class Streams(Protocol):
    """Four streams, of which 0 is the current one; calls on a gated one wait until its gate is over.

    A mark is an event; it has passed when all that was put on its stream before has ended.
    """

    def on(self, stream: int) -> AbstractContextManager[Any]:
        """Within it, this stream is the current one."""

    def gate(self, seconds: float) -> Any:
        """Keep the current stream busy for so long, without waiting; the mark behind it."""

    def mark(self) -> Any:
        """A mark behind all that was put on the current stream."""

    def wait(self, mark: Any) -> None:
        """Let the current stream wait until the mark has passed; the host goes on."""

    def passed(self, mark: Any) -> bool:
        """Whether a mark has passed by now."""

    def settle(self) -> None:
        """Wait for the whole device; raises what it reports."""

    def writer(self, memory: torch.Tensor, places: np.ndarray, values: np.ndarray) -> Callable[[], None]:
        """Make ready to put ``values`` at ``places`` of ``memory``.

        Args:
            memory: uint8 ``[n]`` on the device.
            places: int64 ``[m]``.
            values: uint8 ``[m]``.

        Returns:
            A function that does it in order of the stream that is current when it is called, without waiting.
        """

    def captured(self, make: Callable[[], None]) -> Callable[[], None]:
        """Capture what ``make`` puts on the current stream into a graph.

        Returns:
            A function that replays the graph, in order of the stream that is current when it is called.

        Raises:
            Exception: what ``make`` raised, or the device because of what it did. The device may be of no use then.
        """

    def release(self) -> None:
        """Give back what graphs held that are gone; to be called when a case is over."""
