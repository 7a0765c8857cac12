"""Every test here runs its kernels on the simulator, under an H200's limits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fuzz.engines.simulator import simulated
from fuzz.engines.simulator.launcher import DEVICE


@pytest.fixture(autouse=True)
def simulator() -> Iterator[None]:
    """Triton's driver is ours; no fault is left over."""
    with simulated():
        yield
    DEVICE.fault = None
