"""Running calls in flight together, on a device that does what it is told when it is waited for.

The fake device keeps what is put on its streams until it settles, then runs it: first what lies on
streams without a gate, then the gated ones by turns, as far as waits allow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch

from fuzz import codec
from fuzz.arena import arena_of
from fuzz.build import build
from fuzz.case import Case
from fuzz.pairing import pattern
from fuzz.run import run_case
from fuzz.source import Recorder
from fuzz.target import Target
from fuzz.verdict import Verdict
from kvzero import Limits
from tests.unit.test_run import FakeEngine, clear

Work = Callable[[], None]
OWN = 9
"""A stream of the target, which no gate stands in front of."""


class FakeStreams:
    """Queues of work, and a log of what was asked of them."""

    def __init__(self, *, late: int = 0) -> None:
        self.log: list[str] = []
        self.current = 0
        self.queues: dict[int, list[Any]] = {}
        self.ended: set[int] = set()
        self.marks = 0
        self.late = late
        self.recording: list[Work] | None = None

    @contextmanager
    def on(self, stream: int) -> Iterator[None]:
        outside, self.current = self.current, stream
        yield
        self.current = outside

    def put(self, work: Work) -> None:
        if self.recording is not None:
            self.recording.append(work)
        else:
            self.queues.setdefault(self.current, []).append(work)

    def gate(self, seconds: float) -> int:
        self.log.append(f"gate {self.current} {seconds * 1e3:.0f} ms")
        self.late -= 1
        self.put(lambda: None)
        return -1 if self.late >= 0 else self.mark()

    def mark(self) -> int:
        self.marks += 1
        number = self.marks
        self.put(lambda: self.ended.add(number))
        return number

    def wait(self, mark: int) -> None:
        self.log.append(f"{self.current} waits")
        self.queues.setdefault(self.current, []).append(mark)

    def passed(self, mark: int) -> bool:
        return mark < 0 or mark in self.ended

    def settle(self) -> None:
        if any(self.queues.values()):
            self.log.append("settle")
        while any(self.queues.values()):
            for stream in sorted(self.queues, reverse=True):
                self._step(self.queues[stream], everything=stream == OWN)

    def _step(self, queue: list[Any], *, everything: bool) -> None:
        while queue and not (isinstance(queue[0], int) and queue[0] not in self.ended):
            work = queue.pop(0)
            if not isinstance(work, int):
                work()
                if not everything:
                    return

    def writer(self, memory: torch.Tensor, places: np.ndarray, values: np.ndarray) -> Work:
        def write() -> None:
            memory.numpy()[places] = values

        return lambda: self.put(write)

    def release(self) -> None:
        self.log.append("release")

    def captured(self, make: Work) -> Work:
        self.recording = recorded = []
        try:
            make()
        finally:
            self.recording = None
        self.log.append("captured")
        return lambda: [self.put(work) for work in recorded] and None


class Overlapping(FakeEngine):
    """The fake CPU with streams."""

    def __init__(self, streams: FakeStreams) -> None:
        self.streams = streams


def _case(*calls: str, blocks: int = 4) -> Case:
    segments = f'[{{"base": 0, "blocks": {blocks}, "page": 8, "stride": 16}}]'
    head = f'{{"domain": "contract", "guard": 64, "schema": 1, "segments": {segments}'
    return codec.decode(f'{head}, "calls": [{", ".join(calls)}]}}')


def _verdict(
    case: Case, make: Callable[[FakeStreams], Callable], streams: FakeStreams | None = None, **says: Any
) -> Verdict:
    streams = streams or FakeStreams()
    engine = Overlapping(streams)
    target = Target("t", make(streams), Limits(unit=1), **says)
    return run_case(case, target, engine, arena_of(engine), patience=1.0, on_launch=lambda seconds: None)


def right(streams: FakeStreams) -> Callable:
    """Takes its own copy of the ids, on the current stream."""

    def make(table: Any, device: Any) -> Callable:
        return lambda ids: streams.put(lambda copy=tuple(ids): clear(table, list(copy)))

    return make


def one_buffer(streams: FakeStreams) -> Callable:
    """Reads the ids from one buffer when the device gets there."""

    def make(table: Any, device: Any) -> Callable:
        buffer: list[int] = []

        def zero(ids: list[int]) -> None:
            buffer[:] = ids
            streams.put(lambda: clear(table, buffer))

        return zero

    return make


def own_stream(streams: FakeStreams) -> Callable:
    """Right but for the stream, which waits for nobody."""

    def make(table: Any, device: Any) -> Callable:
        def zero(ids: list[int]) -> None:
            with streams.on(OWN):
                right(streams)(table, device)(ids)

        return zero

    return make


def waits(streams: FakeStreams) -> Callable:
    """Right, and waits for the device in each call."""

    def make(table: Any, device: Any) -> Callable:
        def zero(ids: list[int]) -> None:
            right(streams)(table, device)(ids)
            streams.settle()

        return zero

    return make


def captured_buffer(streams: FakeStreams) -> Callable:
    """Waits until its one buffer has been read, which a capture cannot."""

    def make(table: Any, device: Any) -> Callable:
        zero = one_buffer(streams)(table, device)

        def settled(ids: list[int]) -> None:
            zero(ids)
            if streams.recording is None:
                streams.settle()

        return settled

    return make


def one_missing(streams: FakeStreams) -> Callable:
    """Forgets the last id."""
    return lambda table, device: lambda ids: right(streams)(table, device)(ids[:-1])


ZERO_1 = '{"ids": "1", "op": "zero"}'
TWO = _case('{"ids": "1", "op": "zero", "stream": 1}', '{"ids": "2", "op": "zero", "stream": 1}')
WRITTEN = _case('{"ids": "1", "op": "write"}', ZERO_1)
OVERWRITTEN = _case(ZERO_1, '{"after": [0], "ids": "1-2", "op": "write", "stream": 2}')
WRITTEN_BEFORE = _case('{"ids": "1", "op": "write"}', ZERO_1, '{"ids": "2", "op": "zero"}')
HANDED_ON = _case(
    ZERO_1,
    '{"after": [0], "ids": "1", "op": "write", "stream": 1}',
    '{"after": [1], "ids": "1", "op": "write", "stream": 2}',
    '{"ids": "2", "op": "zero"}',
)
GRAPH = _case('{"ids": "1", "op": "zero", "graph": true}')


@pytest.mark.parametrize("case", [TWO, WRITTEN, OVERWRITTEN, GRAPH])
@pytest.mark.parametrize("target", [right, waits])
def test_right_targets_pass(case: Case, target: Callable) -> None:
    """Whether they wait or not."""
    assert _verdict(case, target, capturable=True).label() == "passed"


@pytest.mark.parametrize("target", [right, waits])
def test_right_targets_pass_whatever_is_drawn(target: Callable) -> None:
    """The oracle and the streams agree on every case of the profile."""
    for seed in range(150):
        verdict = _verdict(build(Recorder(seed), "order", 1), target, capturable=True)
        assert verdict.label() == "passed", (seed, verdict)


@pytest.mark.parametrize(
    ("case", "target", "label"),
    [
        (TWO, one_buffer, "misordered:zero-zero"),
        (WRITTEN_BEFORE, one_buffer, "misordered:zero-write"),
        (WRITTEN, own_stream, "misordered:zero-write"),
        (HANDED_ON, right, "passed"),
        (GRAPH, captured_buffer, "misordered:zero-zero"),
        (TWO, captured_buffer, "passed"),
        (TWO, one_missing, "skipped:none"),
        (_case('{"ids": "1-2", "op": "zero", "stream": 1}'), one_missing, "stale:whole page"),
    ],
)
def test_faults_get_their_pair(case: Case, target: Callable, label: str) -> None:
    """What is wrong only together is misordered; what is wrong alone keeps its own kind."""
    assert _verdict(case, target, capturable=True).label() == label


@pytest.mark.parametrize("target", [one_buffer, own_stream, captured_buffer])
def test_the_profile_finds_planted_faults(target: Callable) -> None:
    """Within a hundred cases, and nothing but faults of order."""
    labels = {_verdict(build(Recorder(seed), "order", 1), target, capturable=True).label() for seed in range(100)}
    assert {label.partition(":")[0] for label in labels} == {"passed", "misordered"}


def test_a_block_that_is_cleared_again_wipes_a_write() -> None:
    """The report says which call the block belongs to, and names the pair for each region."""

    def again(streams: FakeStreams) -> Callable:
        def make(table: Any, device: Any) -> Callable:
            pending: list[int] = []

            def zero(ids: list[int]) -> None:
                pending[:] = [*pending, *ids] if streams.queues.get(1) else ids
                right(streams)(table, device)(pending)

            return zero

        return make

    calls = ['{"ids": "1", "op": "zero", "stream": 1}', '{"ids": "1", "op": "write", "stream": 1}']
    verdict = _verdict(_case(*calls, '{"ids": "2", "op": "zero", "stream": 1}'), again)
    assert verdict.label() == "misordered:write-zero"
    assert verdict.text == (
        "right alone, wrong when calls overlap: block 1, which belongs to call 1 (write), was cleared, "
        "and 8 bytes are wrong"
    )
    assert [(r.start, r.stop, r.kind, r.where) for r in verdict.regions] == [(16, 24, "clobbered", "write-zero")]


def test_the_order_of_operations() -> None:
    """Gates stand in front of every stream that is used, before the first call; waits where they were asked for."""
    streams = FakeStreams()
    assert _verdict(OVERWRITTEN, right, streams).label() == "passed"
    flight = streams.log[streams.log.index("gate 0 3 ms") :]
    assert flight == ["gate 0 3 ms", "gate 2 3 ms", "2 waits", "settle", "release"]


def test_a_late_host_gets_a_longer_gate_once() -> None:
    """If a gate was over too early the calls are made again; a target that waits is believed then."""
    streams = FakeStreams(late=1)
    assert _verdict(TWO, one_buffer, streams).label() == "misordered:zero-zero"
    streams = FakeStreams(late=1)
    assert _verdict(TWO, right, streams).label() == "passed"
    assert [line for line in streams.log if "gate" in line] == ["gate 1 3 ms", "gate 1 12 ms"]
    assert _verdict(TWO, waits).label() == "passed"


def test_graphs_are_for_targets_that_say_so() -> None:
    """No other target is captured."""
    verdict = _verdict(GRAPH, right)
    assert (verdict.label(), verdict.text) == (
        "declined",
        "a call is captured into a graph; the target does not say that it is capturable",
    )


def test_a_capture_that_fails_costs_the_worker() -> None:
    """A device may be of no use after it."""

    def refuses(streams: FakeStreams) -> Callable:
        def make(table: Any, device: Any) -> Callable:
            def zero(ids: list[int]) -> None:
                if streams.recording is not None:
                    raise RuntimeError("operation not permitted when stream is capturing")
                clear(table, ids)

            return zero

        return make

    verdict = _verdict(GRAPH, refuses, capturable=True)
    assert (verdict.label(), verdict.lost) == ("rejected:other-RuntimeError", True)


def test_damage_to_arguments_in_flight_is_seen() -> None:
    """A list of ids that is changed only later is changed all the same."""

    def keeps(streams: FakeStreams) -> Callable:
        def make(table: Any, device: Any) -> Callable:
            def zero(ids: list[int]) -> None:
                right(streams)(table, device)(ids)
                if kept and streams.queues.get(1):
                    kept[-1].clear()
                kept.append(ids)

            return zero

        return make

    kept: list[list[int]] = []
    assert _verdict(TWO, keeps).label() == "clobbered:ids"


def test_an_engine_that_makes_calls_one_by_one_proves_nothing() -> None:
    """It says what can."""
    engine = FakeEngine()
    engine.streams = None
    target = Target("t", lambda table, device: lambda ids: clear(table, ids), Limits())
    verdict = run_case(TWO, target, engine, arena_of(engine), patience=1.0, on_launch=lambda seconds: None)
    assert (verdict.outcome, verdict.text) == (
        "unproved",
        "calls in flight together: fake makes them one by one; a GPU can",
    )


def test_patterns_differ_from_poison_and_each_other() -> None:
    """In every byte, and none is zero."""
    poison = np.arange(1, 256, dtype=np.uint8)
    made = np.array([poison, *(pattern(poison, index) for index in range(64))])
    assert made.min() == 1
    assert all(len(set(column)) == 65 for column in made.T.tolist())
