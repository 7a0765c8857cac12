"""The clock on a GPU: a host that is slower than the device sleeps is not charged to the device."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import pytest
import torch

from fuzz.bench import event_clock

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")

CALLS = 40
PAUSE = 1e-3
"""Seconds; the device sleeps for less than half of that at first."""


def _microseconds(call: Callable[[], object]) -> float:
    clock = event_clock.EventClock()
    return median(clock.seconds(call) for _ in range(CALLS)) * 1e6


def test_a_slow_host_is_not_charged_to_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pause before a kernel costs the device nothing; with no longer sleep the clock would count the launch."""
    memory = torch.ones(4096, device="cuda")

    def slow() -> None:
        time.sleep(PAUSE)
        memory.fill_(0)

    quick = _microseconds(lambda: memory.fill_(0))
    assert _microseconds(slow) < 1.5 * quick
    monkeypatch.setattr(event_clock, "LONGEST", event_clock.ASLEEP)
    assert _microseconds(slow) > 1.5 * quick
