"""Where a case runs: the compiled kernel on a GPU, or a simulator or Triton's interpreter without one."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    import torch

    from fuzz.engines.launch_hook import Launch
    from fuzz.engines.streams import Streams
    from oracles.launches import Ruling

NAMES = ("cuda", "simulator", "interpreter")

NOTHING = (0, 1, 1)
"""A grid that runs nothing, in a launcher as in the interpreter."""


class Patience(NamedTuple):
    """Most predicted seconds of the launches of a call; one that takes longer is left unproved."""

    search: float
    single: float


class Engine(Protocol):
    """Runs launches under a device profile's rules and tells what became of the device.

    Attributes:
        name: one of ``NAMES``.
        device: where arena and tables lie.
        device_name: the same in words.
        device_profile: whose launch limits hold.
        patience: most predicted seconds of a call's launches, in a search and for a single case.
        survives_faults: whether the process may go on after a fault.
        batches: whether cases gain by being in flight together.
        gpus: CUDA devices that it may use.
        keeps_stores: whether it has virtual memory: addresses without bytes, whose stores are kept.
        streams: what puts calls in flight together; None where they run one by one.
    """

    name: str
    device: torch.device
    device_name: str
    device_profile: str
    patience: Patience
    survives_faults: bool
    batches: bool
    gpus: int
    keeps_stores: bool

    @property
    def largest_arena(self) -> int:
        """Most bytes of an arena that it holds at the moment."""

    @property
    def streams(self) -> Streams | None:
        """Made when it is first asked for."""

    def know(self, start: int, size: int) -> None:
        """Take notice of a case's arena before kernels run on it."""

    def reserve(self, size: int) -> tuple[int, list[tuple[Any, Any, Any]]]:
        """Virtual memory, instead of any reserved before: its address and the list that gets its stores."""

    def allocating(self) -> AbstractContextManager[object]:
        """Within it, memory that a target allocates is known to kernels, whatever points to it."""

    def admit(self, launch: Launch, ruling: Ruling) -> tuple[int, ...]:
        """The grid to run for a launch: as asked, or one with a zero to run nothing.

        Raises:
            OverflowError, RuntimeError: what the device's launcher would raise.
        """

    def seconds(self, launch: Launch, volume: int) -> float:
        """Predicted time of a launch that has ``volume`` bytes to write, repeats included."""

    def settle(self) -> None:
        """Raise what a device has reported and a target did not pass on, unless reading memory does."""

    def fault(self, volume: int = 0) -> tuple[str, str] | None:
        """Kind and detail if the device faulted: ``("faulted", "memory")`` and the like.

        Args:
            volume: bytes that the case clears, repeats included: a loop of fewer rounds may have an end.

        Raises:
            Unproved: if a loop was given up that may have come to its end.
        """


def launch_as(ruling: Ruling, grid: tuple[int, ...]) -> tuple[int, ...]:
    """Do what a launcher does after a ruling: refuse, run nothing without a word, or run the grid.

    Raises:
        OverflowError, RuntimeError: as the launcher does where it refuses.
    """
    if ruling.outcome == "rejected":
        raise (OverflowError if "C int" in ruling.reason else RuntimeError)(ruling.reason)
    return NOTHING if ruling.outcome == "skipped" else grid


class EngineFailed(BaseException):
    """The engine itself is at fault; nothing is said about the target."""


class Unproved(BaseException):
    """The engine cannot hold the case; nothing is said about the target."""
