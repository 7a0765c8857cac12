"""When the clock of a call begins: with the device's first work, be it torch's or Triton's, and not with uploads.

Torch's device without memory stands for a GPU, events that write down when they are recorded for CUDA's.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import triton
import triton.language as tl

from fuzz.bench.event_clock import ASLEEP, LONGEST, EventClock
from fuzz.engines.simulator import simulated

DEVICE = "meta"
HOST = torch.arange(4)
THERE = torch.empty(4, dtype=torch.int64, device=DEVICE)


@triton.jit
def _store(pointer):
    tl.store(pointer, 0)


def _launch() -> None:
    _store[(1,)](torch.ones(4, dtype=torch.int32))


class FakeDevice:
    """What a clock has a device do.

    Attributes:
        awake_by: a sleep of fewer cycles is over before a call is made.
        told: what is recorded, in order.
        slept: cycles, sleep by sleep.
    """

    def __init__(self) -> None:
        self.told: list[str] = []
        self.slept: list[int] = []
        self.awake_by = 0

    def sleep(self, cycles: int) -> None:
        self.told.append("sleep")
        self.slept.append(cycles)

    def event(self, *, enable_timing: bool) -> FakeEvent:
        assert enable_timing
        return FakeEvent(self)


class FakeEvent:
    """One of a pair: the first that is recorded after a sleep is a call's beginning."""

    def __init__(self, device: FakeDevice) -> None:
        self._device = device
        self._begins = False

    def record(self) -> None:
        self._begins = self._begins or self._device.told[-1] == "sleep"
        self._device.told.append("begin" if self._begins else "end")

    def query(self) -> bool:
        return self._device.slept[-1] < self._device.awake_by

    def elapsed_time(self, end: FakeEvent) -> float:
        return 2000.0


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> FakeDevice:
    """In the place of CUDA's."""
    made = FakeDevice()
    monkeypatch.setattr(torch.cuda, "Event", made.event)
    monkeypatch.setattr(torch.cuda, "_sleep", made.sleep)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    return made


@pytest.fixture
def log(device: FakeDevice) -> list[str]:
    """What is recorded, in order."""
    return device.told


def _logged(log: list[str], acts: list[Callable[[], object]], clock: EventClock | None = None) -> list[str]:
    """Time a call that does one thing after the other, each written down after it was done."""

    def call() -> None:
        for number, act in enumerate(acts):
            act()
            log.append(str(number))

    with simulated("h200"):
        assert (clock or EventClock()).seconds(call) == 2.0
    return log


@pytest.mark.parametrize(
    "work",
    [
        THERE.sort,
        lambda: THERE.fill_(0),
        lambda: torch.sub(THERE[:2], 1, out=THERE[2:]),
        lambda: torch.zeros(4, device=DEVICE),
        lambda: torch.arange(4, device=DEVICE),
        lambda: torch.cat([THERE, THERE]),
        lambda: THERE.index_fill_(0, THERE, 0),
        lambda: THERE.copy_(THERE + 1),
        THERE.clone,
        _launch,
    ],
)
def test_the_clock_begins_before_the_first_work(log: list[str], work: Callable[[], object]) -> None:
    """Once, whatever comes after it."""
    assert _logged(log, [work, _launch, work]) == ["sleep", "begin", "begin", "0", "1", "2", "end"]


@pytest.mark.parametrize(
    "act",
    [
        lambda: torch.tensor([1, 2], device=DEVICE),
        lambda: torch.from_numpy(HOST.numpy()).to(DEVICE, non_blocking=True),
        lambda: THERE.copy_(HOST, non_blocking=True),
        lambda: THERE[1:3].copy_(HOST[:2]),
        lambda: torch.empty(4, device=DEVICE),
        lambda: torch.empty_like(THERE),
        lambda: THERE.new_empty(3),
        lambda: THERE.view(torch.int32)[1:],
        HOST.unique,
    ],
)
def test_uploads_and_the_hosts_own_work_are_not_counted(log: list[str], act: Callable[[], object]) -> None:
    """Ids on their way, room for them, other looks at memory: the clock begins with what comes then."""
    assert _logged(log, [act, _launch]) == ["sleep", "begin", "0", "begin", "1", "end"]


def test_a_call_in_which_nothing_is_seen_counts_as_a_whole(log: list[str]) -> None:
    """As that of a target that replays a graph."""
    assert _logged(log, [lambda: None]) == ["sleep", "begin", "0", "end"]


def test_a_call_that_outlasts_the_sleep_is_timed_again_after_a_longer_one(device: FakeDevice) -> None:
    """Its first kernel waited for the host, whose pace was timed; the longer sleep is kept for the next call."""
    device.awake_by = 3 * ASLEEP
    clock = EventClock()
    assert _logged(device.told, [_launch], clock) == ["sleep", "begin", "begin", "0", "end"] * 3
    _logged(device.told, [_launch], clock)
    assert device.slept == [ASLEEP, 2 * ASLEEP, 4 * ASLEEP, 4 * ASLEEP]


def test_a_call_that_waits_for_the_device_is_timed_all_the_same(device: FakeDevice) -> None:
    """No sleep is long enough for it."""
    device.awake_by = 10**12
    clock = EventClock()
    for _ in range(2):
        _logged(device.told, [_launch], clock)
    assert device.slept == [ASLEEP, 2 * ASLEEP, 4 * ASLEEP, LONGEST, LONGEST]
