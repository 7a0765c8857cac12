"""Variants that are compiled after a warm-up, on real kernels, by the simulator's own compile keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from fuzz.arena import arena_of
from fuzz.build import numbered
from fuzz.built_in import GENERATIONS
from fuzz.case import Call, Case, Segment
from fuzz.engines.simulator.engine import Simulator
from fuzz.engines.simulator.launcher import DEVICE
from fuzz.ids import Ids, Run
from fuzz.loading import load
from fuzz.run import run_case
from fuzz.target import Target
from fuzz.verdict import Verdict
from kvzero import Limits
from tests import warmups

COUNTS = (1, 2, 3, 15, 16, 17, 32, 4096, 65536)
DRAWN = 300


@pytest.fixture
def verdict() -> Callable[..., Verdict]:
    """Runs a case on a target in this process."""
    engine = Simulator(None)
    DEVICE.compiles_for = ()
    arena = arena_of(engine)

    def run(case: Case, target: Any) -> Verdict:
        if not isinstance(target, Target):
            target = Target(target.__name__, target, getattr(target, "limits", Limits()))
        return run_case(case, target, engine, arena, patience=0.1, on_launch=lambda seconds: None)

    return run


def _case(*counts: int, segments: int = 1, **more: Any) -> Case:
    calls = tuple(Call("zero", Ids((Run(0, 0, count),))) for count in counts)
    rows = tuple(Segment(64 * index, 1, 64, 64) for index in range(segments))
    return Case(schema=1, domain="contract", guard=256, segments=rows, calls=calls, **more)


def _drawn(count: int, profiles: tuple[str, ...] = ("small",)) -> list[Case]:
    return [replace(numbered(5, index, profiles)[0], cold=False) for index in range(count)]


@pytest.mark.parametrize("name", warmups.BUCKETS)
def test_a_planted_warm_up_is_caught_by_name(verdict: Callable[..., Verdict], name: str) -> None:
    """The first find of a drawn search is the planted one; without a warm-up there is no recompiled."""
    target = getattr(warmups, name)
    found = next(one for case in _drawn(DRAWN) if (one := verdict(case, target)).outcome == "finding")
    assert found.label() == warmups.BUCKETS[name]
    if found.kind == "recompiled":
        cold = {verdict(replace(case, cold=True), target).label() for case in _drawn(40)}
        assert cold == {"passed"}


def test_a_warm_up_that_strays_is_a_fault(verdict: Callable[..., Verdict]) -> None:
    """It runs like a call; that its scratch memory is no argument is no fault."""
    assert verdict(_case(1), warmups.astray).label() == "faulted:memory"
    assert verdict(_case(1), warmups.right).label() == "passed"


@pytest.mark.parametrize("name", warmups.RIGHT)
def test_right_warm_ups_raise_no_alarm(verdict: Callable[..., Verdict], name: str) -> None:
    """On drawn cases, tables of odd and even numbers of segments among them."""
    target = getattr(warmups, name)
    assert {verdict(case, target).label() for case in _drawn(DRAWN)} <= {"passed", "declined"}


@pytest.mark.parametrize("name", GENERATIONS)
def test_the_warm_up_of_every_generation_is_whole(verdict: Callable[..., Verdict], name: str) -> None:
    """No drawn case is recompiled, whatever else a generation shows."""
    drawn = 60 if name in ("uniform_page", "page_buckets") else DRAWN  # these compile a kernel for each table
    cases = _drawn(drawn, ("small", "launch", "far"))
    kinds = {verdict(case, load(name)).kind for case in cases}
    assert "recompiled" not in kinds


@pytest.mark.parametrize("segments", [1, 2, 3])
@pytest.mark.parametrize("name", GENERATIONS)
def test_no_number_of_ids_adds_a_variant(verdict: Callable[..., Verdict], name: str, segments: int) -> None:
    """One warm-up serves every count, on columns that are aligned to 16 bytes and to 8."""
    found = verdict(_case(*COUNTS, segments=segments), load(name))
    assert found.label() in ("passed", "rejected:launch-z"), found.text
    assert found.label() == "passed" or name == "ids_on_z"


def test_what_ran_before_changes_nothing(verdict: Callable[..., Verdict]) -> None:
    """A variant that another case has compiled is as new to this zeroer as in a fresh process."""
    bad = _case(1, 16)
    assert verdict(bad, warmups.right).label() == "passed"
    words = [verdict(bad, warmups.one_count) for _ in range(3)]
    assert {one.label() for one in words} == {"recompiled:n_blocks"}
    assert words[0].text == (
        "_counted was compiled for n_blocks: i32, a multiple of 16; the nearest that was warm had the constant 1"
    )


def test_a_variant_decides_before_the_image_does(verdict: Callable[..., Verdict]) -> None:
    """An image that is right is no excuse, and one that is wrong comes after."""

    def forgetful(table: Any, device: Any) -> Any:
        zeroer = warmups._Zeroer(table, device)
        zeroer.counts = (1,)
        right = zeroer.zero
        zeroer.zero = lambda ids: right([0, 0] if len(ids) == 3 else ids)
        zeroer.zero.warmup = zeroer.warmup
        return zeroer.zero

    case = replace(_case(), segments=(Segment(0, 4, 8, 16),), calls=(Call("zero", Ids.parse("1-3")),))
    found = verdict(case, forgetful)
    assert found.label() == "recompiled:n_blocks"
    assert found.wrong_bytes > 0
    assert verdict(replace(case, cold=True), forgetful).label() == "clobbered:other block"


def test_the_table_tells_the_warm_up_its_blocks(verdict: Callable[..., Verdict]) -> None:
    """The number of blocks, or 1 where it is not told; nothing is asked of a cold case."""
    told = []

    def target(table: Any, device: Any) -> Any:
        zeroer = warmups._Zeroer(table, device)
        zeroer.warmup = lambda blocks: (told.append(blocks), warmups._Zeroer.warmup(zeroer, blocks))
        return zeroer.zero

    case = replace(_case(1, 2), segments=(Segment(0, 5, 8, 16),))
    for one in (case, replace(case, blocks_known=False), replace(case, cold=True)):
        assert verdict(one, target).label() == "passed"
    assert told == [5, 1]


def test_a_cache_without_its_first_block_is_not_warmed_up(verdict: Callable[..., Verdict]) -> None:
    """With a biased base block 0 lies in nobody's memory: a warm-up that clears it is no find."""
    case = Case(
        schema=1, domain="contract", guard=65_536, segments=(Segment(-(2**30), 2, 64, 2**30),),
        calls=(Call("zero", Ids.parse("1")),),
    )  # fmt: skip
    assert not case.whole
    assert verdict(case, warmups.clears_block_0).label() == "passed"
    labels = {verdict(one, warmups.clears_block_0).label() for one in _drawn(DRAWN, ("small", "far"))}
    assert {"passed"} <= labels <= {"passed", "unproved"}
