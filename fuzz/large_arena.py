"""An arena of gigabytes in a device's memory: poisoned and judged where it lies, and given back after its case."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import torch

from fuzz import device_check
from fuzz.arena import Arena, aligned_memory
from fuzz.case import Case
from fuzz.engines import EngineFailed, Unproved
from fuzz.large_image import Check, LargeImage
from fuzz.layout import lead, total
from fuzz.verdict import Verdict

if TYPE_CHECKING:
    from fuzz.engines import Engine

SPARE = 2**30
"""Bytes of a device that must be left when an arena has been made: for the target, for the check, and for other
workers that made one at the same time."""

_NONE = torch.empty(0, dtype=torch.uint8)


class LargeArena:
    """Whole tiles of a device's memory, held for one case.

    Args:
        engine: whose device it is.
        tile: bytes of a tile.
        check: gives the tiles of an image that are wrong.
    """

    def __init__(self, engine: Engine, tile: int = device_check.TILE, check: Check = device_check.flagged) -> None:
        self._engine = engine
        self._tile = tile
        self._check = check
        self._memory = _NONE
        self._size = 0

    def fit(self, case: Case) -> int:
        """Make room for a case and give the address of its offset 0.

        Raises:
            Unproved: if there is not so much memory, or nothing would be left beside it.
        """
        self._size = total(case)
        tiles = -(-self._size // self._tile)
        try:
            self._memory = aligned_memory(tiles * self._tile, self._engine.device)
        except torch.OutOfMemoryError as error:
            raise Unproved(f"an arena of {self._size} bytes: {error}") from error
        free = _free(self._engine.device)
        if free < SPARE:
            self.release()
            raise Unproved(f"an arena of {self._size} bytes leaves {free} of the device; {SPARE} must be left")
        self._engine.know(self._memory.data_ptr(), self._size)
        return self._memory.data_ptr() + lead(case)

    def lay(self) -> None:
        """Poison it, in order of the current stream."""
        device_check.lay(self._memory, self._tile)

    def read(self) -> LargeImage:
        """The memory itself; waits for the device, and raises what it reports."""
        self._memory[:1].cpu()
        return LargeImage(self._memory, self._size, self._tile, self._check)

    def memory(self) -> torch.Tensor:
        """The device's."""
        return self._memory.narrow(0, 0, self._size)

    def renew(self) -> None:
        """Its poison is held nowhere."""

    def release(self) -> None:
        """Give the memory back, so that a worker does not sit on it."""
        self._memory = _NONE
        if self._engine.device.type == "cuda":
            with suppress(RuntimeError):  # a device that was lost: its fault has been judged
                torch.cuda.empty_cache()


def held(engine: Engine, run: Callable[[Arena], Verdict]) -> Verdict:
    """The verdict of ``run`` on an arena that is released after it.

    A device without memory, whoever asked for it, leaves a case unproved: most of it is ours.
    """
    arena = LargeArena(engine)
    try:
        verdict = run(arena)
    except (Unproved, torch.OutOfMemoryError) as unproved:
        return Verdict("unproved", text=str(unproved))
    except EngineFailed as failure:
        return Verdict("infra", text=str(failure))
    finally:
        arena.release()
    if verdict.kind == "rejected" and verdict.text.startswith(f"{torch.OutOfMemoryError.__name__}:"):
        return Verdict("unproved", text=verdict.text)
    return verdict


def _free(device: torch.device) -> int:
    return torch.cuda.mem_get_info(device)[0] if device.type == "cuda" else SPARE
