"""Where a case runs: the compiled kernel on a GPU, or Triton's interpreter without one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import torch

    from fuzz.engines.launch_hook import Launch
    from oracles.launches import Ruling

NAMES = ("cuda", "interpreter")

NOTHING = (0, 1, 1)
"""A grid that runs nothing, in a launcher as in the interpreter."""


class Patience(NamedTuple):
    """Most predicted seconds of a launch; one that takes longer is left unproved."""

    search: float
    single: float


class Engine(Protocol):
    """Runs launches under a device profile's rules and tells what became of the device.

    Attributes:
        name: one of ``NAMES``.
        device: where arena and tables lie.
        device_name: the same in words.
        device_profile: whose launch limits hold.
        largest_arena: most bytes of an arena that it holds.
        patience: most predicted seconds of a launch, in a search and for a single case.
    """

    name: str
    device: torch.device
    device_name: str
    device_profile: str
    largest_arena: int
    patience: Patience

    def admit(self, launch: Launch, ruling: Ruling) -> tuple[int, ...]:
        """The grid to run for a launch: as asked, or one with a zero to run nothing.

        Raises:
            OverflowError, RuntimeError: what the device's launcher would raise.
        """

    def seconds(self, launch: Launch, volume: int) -> float:
        """Predicted time of a launch that has ``volume`` bytes to write, repeats included."""

    def fault(self) -> str | None:
        """``memory``, ``misaligned`` or ``assert`` if the device is lost to this process."""


class Unproved(BaseException):
    """The engine cannot hold the case; nothing is said about the target."""
