"""Values of all programs again, where some of them went another way or for longer."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzz.engines.simulator.frame import Frame, alone
from fuzz.engines.simulator.lanes import whole
from fuzz.engines.simulator.types import Type


def put(old: Any, index: np.ndarray, new: Any, kind: Type, programs: int) -> Any:
    """Values of all programs, those of some replaced.

    Args:
        old: what they had, or None where nothing was set yet.
        index: which programs.
        new: their new values, ``[len(index), ...]`` or one for all.
        kind: type of the value.
        programs: how many there are in all.
    """
    form = (programs, *kind.shape)
    if old is None:
        merged = np.zeros(form, kind.dtype)
    else:
        merged = np.array(np.broadcast_to(whole(old, kind.shape, kind.dtype), form))
    merged[index] = whole(new, kind.shape, kind.dtype)
    return merged


def give(frame: Frame, results: list[tuple[int, Type]], values: list[Any]) -> None:
    """Let a frame have the results of a loop or branch."""
    for (slot, _), value in zip(results, values, strict=True):
        frame.values[slot] = alone(value)
