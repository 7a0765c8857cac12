"""How many workers a machine bears, and which GPU each of them sees."""

from __future__ import annotations

import os
from collections.abc import Mapping

from fuzz import messages

VISIBLE = "CUDA_VISIBLE_DEVICES"

MOST_A_GPU = 14
"""Workers of one GPU: as many as were measured together; each holds a context and time slices of it."""

CORES_LEFT = 2
"""Cores of a GPU's share that its workers leave to the driver and the parent."""


def usual_workers(opened: messages.Opened, cores: int | None = None) -> int:
    """As many workers as cores and GPUs bear together.

    Args:
        opened: what the first worker told.
        cores: that this process may use; counted if not given.
    """
    cores = cores or len(os.sched_getaffinity(0))
    if opened.engine != "cuda":
        return max(1, cores // 2)
    gpus = max(opened.gpus, 1)
    return gpus * max(1, min(MOST_A_GPU, cores // gpus - CORES_LEFT))


def environment(device: int, gpus: int, inherited: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables that show a worker one of several GPUs; none where there is nothing to choose.

    Args:
        device: the GPU's number among those that the parent sees.
        gpus: how many these are.
        inherited: the parent's variables; an entry of its list may be a number or a UUID.
    """
    if gpus < 2:
        return {}
    seen = inherited.get(VISIBLE)
    entries = seen.split(",") if seen is not None else [str(number) for number in range(gpus)]
    return {VISIBLE: entries[device].strip()}
