"""Calls in flight together on a GPU: planted faults in their buckets, right targets without a find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
import torch

from fuzz import codec
from fuzz.build import numbered
from fuzz.case import Case
from fuzz.checking import Checker
from fuzz.engines.cuda import Cuda
from fuzz.profiles.parts import guarded
from tests.conftest import PLANTED

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")

FAULTS = ("one_buffer", "ring_of_two", "wrong_stream", "own_stream", "captured_buffer")
RIGHT = ("right", "ring_of_eight", "own_stream_in_order", "captured_slots")
CASES = 200
REPLAYS = 10
SEED = 11

PAIRS = {f"misordered:{pair}" for pair in ("zero-zero", "zero-write", "write-zero", "none-zero")}
"""A call takes another's ids, clears before an older write, or clears what a newer one wrote or nobody named."""


def _planted(name: str) -> str:
    return f"{PLANTED.with_name('planted_order.py')}:{name}"


def _case(*calls: str) -> Case:
    segments = '[{"base": 0, "blocks": 4, "page": 64, "stride": 64}]'
    head = f'{{"domain": "contract", "guard": 0, "schema": 1, "segments": {segments}'
    return guarded(codec.decode(f'{head}, "calls": [{", ".join(calls)}]}}'))


ONE, TWO, THREE = (f'{{"ids": "{block}", "op": "zero", "stream": 1}}' for block in (1, 2, 3))
TWO_IN_FLIGHT = _case(ONE, TWO)
THREE_IN_FLIGHT = _case(ONE, TWO, THREE)
WRITTEN_BEFORE = _case('{"ids": "1", "op": "write"}', '{"ids": "1", "op": "zero"}')
WRITTEN_AFTER = _case('{"ids": "1", "op": "zero"}', '{"after": [0], "ids": "1", "op": "write", "stream": 2}')
CAPTURED = _case('{"graph": true, "ids": "1", "op": "zero", "stream": 1}')
BY_HAND = (TWO_IN_FLIGHT, THREE_IN_FLIGHT, WRITTEN_BEFORE, WRITTEN_AFTER, CAPTURED)


@pytest.fixture(scope="module")
def cuda() -> Iterator[Checker]:
    """A worker on the GPU with every target of this file."""
    one = Checker(("masked_grid", "index_fill", *map(_planted, (*FAULTS, *RIGHT, "cached_tile"))), "cuda")
    yield one
    one.close()


def test_a_gate_is_as_long_as_it_is_asked_to_be() -> None:
    """A mark behind a sleep has not passed at once, and passes when the device is waited for."""
    streams = Cuda(None).streams
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    with streams.on(1):
        start.record()
        mark = streams.gate(5e-3)
        stop.record()
    assert not streams.passed(mark)
    streams.settle()
    assert streams.passed(mark)
    assert 2.5 < start.elapsed_time(stop) < 25.0


@pytest.mark.parametrize(
    ("name", "case", "label"),
    [
        ("one_buffer", TWO_IN_FLIGHT, "misordered:zero-zero"),
        ("ring_of_two", TWO_IN_FLIGHT, "passed"),
        ("ring_of_two", THREE_IN_FLIGHT, "misordered:zero-zero"),
        ("wrong_stream", TWO_IN_FLIGHT, "misordered:zero-zero"),
        ("own_stream", WRITTEN_BEFORE, "misordered:zero-write"),
        ("captured_buffer", CAPTURED, "misordered:zero-zero"),
        ("captured_buffer", TWO_IN_FLIGHT, "passed"),
        ("right", CAPTURED, "declined"),
    ],
)
def test_the_smallest_case_of_each_fault(cuda: Checker, name: str, case: Case, label: str) -> None:
    """It shows in each of ten replays, and one call less in flight does not show it."""
    labels = Counter(cuda.attempt(case, _planted(name)).label() for _ in range(REPLAYS))
    assert labels == {label: REPLAYS}


@pytest.mark.parametrize("name", FAULTS)
def test_planted_faults_are_found(cuda: Checker, name: str) -> None:
    """The first find of each, within two hundred drawn cases, is a pair of calls."""
    for index in range(CASES):
        verdict = cuda.attempt(numbered(SEED, index, ("order",))[0], _planted(name))
        if verdict.outcome == "finding":
            assert verdict.label() in PAIRS, (index, verdict)
            return
        assert verdict.outcome in ("passed", "declined"), (index, verdict)
    pytest.fail(f"{name} passed {CASES} cases")


@pytest.mark.parametrize("name", ["masked_grid", "index_fill", *RIGHT])
def test_right_targets_pass(cuda: Checker, name: str) -> None:
    """No case is a find; a target that is not capturable declines some, and no other does."""
    target = name if name in ("masked_grid", "index_fill") else _planted(name)
    cases = [*BY_HAND, *(numbered(SEED, index, ("order",))[0] for index in range(CASES))]
    labels = {cuda.attempt(case, target).label() for case in cases}
    assert labels == ({"passed"} if name == "captured_slots" else {"passed", "declined"})


def test_a_tile_cached_by_address_takes_two_cases(cuda: Checker) -> None:
    """A search in one process meets tables that lie where others lay: no matter of order, and no single case's."""
    labels = {
        cuda.attempt(numbered(1, index, ("small",))[0], _planted("cached_tile")).label() for index in range(CASES)
    }
    assert {"passed", "stale:tail"} <= labels <= {"passed", "stale:tail", "stale:body"}
