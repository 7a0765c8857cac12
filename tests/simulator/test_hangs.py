"""Loops without bounds: hung where no work explains their rounds, unproved where it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import triton
import triton.language as tl

from fuzz.arena import arena_of
from fuzz.case import Call, Case, Segment
from fuzz.engines.simulator import frame
from fuzz.engines.simulator.engine import SECONDS_A_LAUNCH, Simulator
from fuzz.ids import Ids
from fuzz.profiles.parts import guarded
from fuzz.run import run_case
from fuzz.target import Target
from fuzz.verdict import Verdict
from kvzero import Limits

WIDTH = 64


@triton.jit
def _walk(base_ptr, page_ptr, WIDTH: tl.constexpr):
    first = tl.load(base_ptr).to(tl.pointer_type(tl.uint8))
    page = tl.load(page_ptr)
    done = page * 0
    while done < page:
        columns = done + tl.arange(0, WIDTH)
        tl.store(first + columns, tl.zeros([WIDTH], tl.uint8), mask=columns < page)
        done += WIDTH


@triton.jit
def _walk_past(base_ptr, page_ptr, WIDTH: tl.constexpr):
    first = tl.load(base_ptr).to(tl.pointer_type(tl.uint8))
    page = tl.load(page_ptr)
    done = page * 0
    while done != page:
        columns = done + tl.arange(0, WIDTH)
        tl.store(first + columns, tl.zeros([WIDTH], tl.uint8), mask=columns < page)
        done += WIDTH


def _verdict(kernel: Any, page: int) -> Verdict:
    """Of one page, cleared by one program that walks over it."""

    def zeroer(table: Any, device: Any) -> Callable[[list[int]], None]:
        columns = table.on(device)
        return lambda ids: kernel[(1,)](columns.base, columns.page, WIDTH=WIDTH)

    return _verdict_of(zeroer, page, 10.0)


def _verdict_of(zeroer: Any, page: int, patience: float) -> Verdict:
    call = Call("zero", Ids.parse("0"))
    case = guarded(Case(schema=1, domain="contract", guard=0, segments=(Segment(0, 1, page, page),), calls=(call,)))
    engine, target = Simulator("h200"), Target("walk", zeroer, Limits())
    return run_case(case, target, engine, arena_of(engine), patience=patience, on_launch=lambda seconds: None)


@pytest.fixture(autouse=True)
def _fewer_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame, "MOST_ROUNDS", 1000)


def test_a_walk_over_a_page_ends() -> None:
    """A round for each chunk of a page, and one that is cut off."""
    assert _verdict(_walk, 100 * WIDTH + 4).outcome == "passed"


def test_a_walk_over_more_than_can_be_walked_here_is_unproved() -> None:
    """1,001 chunks are too many rounds here, and no more than the page explains."""
    verdict = _verdict(_walk, 1001 * WIDTH)
    assert (verdict.outcome, verdict.detail) == ("unproved", "")
    assert "went through 1000 rounds" in verdict.text


def test_a_walk_past_the_end_of_its_page_is_hung() -> None:
    """More rounds than the page has bytes; a page that is a whole number of chunks ends it."""
    assert _verdict(_walk_past, 3 * WIDTH).outcome == "passed"
    assert _verdict(_walk_past, 3 * WIDTH + 4).label() == "hung"


def test_many_launches_are_predicted_together() -> None:
    """Each takes a fraction of the time that there is; all of them would take more, and none is run for nothing."""
    made = []

    def zeroer(table: Any, device: Any) -> Callable[[list[int]], None]:
        columns = table.on(device)

        def zero(ids: list[int]) -> None:
            for _ in range(40):
                made.append(1)
                _walk[(1,)](columns.base, columns.page, WIDTH=WIDTH)

        return zero

    for patience, outcome, launches in ((1.0, "passed", 40), (20.5 * SECONDS_A_LAUNCH, "unproved", 21)):
        made.clear()
        verdict = _verdict_of(zeroer, WIDTH, patience)
        assert (verdict.outcome, len(made)) == (outcome, launches)
    assert verdict.text.startswith("21 launches or more would take about 0.0 s")
