"""The checker's kernels, byte for byte, and whole cases on an arena that is judged by them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from msgspec.structs import replace

from fuzz import check_kernels, device_check, run
from fuzz.arena import arena_of
from fuzz.build import numbered
from fuzz.case import WHOLE, Call, Case, Segment
from fuzz.engines import EngineFailed, Unproved
from fuzz.engines.launch_hook import Watched, compile_keys
from fuzz.engines.simulator.engine import Simulator
from fuzz.ids import Ids
from fuzz.large_arena import LargeArena, held
from fuzz.large_image import Check
from fuzz.layout import total
from fuzz.loading import load
from fuzz.run import run_case
from fuzz.target import Target
from fuzz.verdict import Verdict
from kvzero import Limits
from tests import warmups
from tests.conftest import ROOT, planted

TILE = 256
SIZE = 4 * TILE - 40
EDGES = {
    "none": [],
    "all": [0, SIZE],
    "at tiles' borders": [TILE, 2 * TILE, 3 * TILE, SIZE],
    "within tiles": [4, 8, 100, TILE - 4, 2 * TILE + 4, 3 * TILE + 8],
    "between the bytes of a word": [1, 2, 3, 5, 101, TILE + 1, TILE + 102, 2 * TILE - 1],
    "a page of many tiles": [12, SIZE - 4],
    "very many": list(range(0, SIZE, 4)),
}


@triton.jit
def _poison_at(out_ptr, first, TILE: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, TILE), check_kernels._poison(first, TILE).to(tl.int32, bitcast=True))


def _laid(tiles: int, tile: int = TILE) -> torch.Tensor:
    memory = torch.zeros(tiles * tile, dtype=torch.uint8)
    device_check.lay(memory, tile)
    return memory


@pytest.mark.parametrize("first", [0, 64, 2**14 - 64, 2**14, 2**30, 2**31, 2**32 - 64, 2**32, 2**36, 2**40 + 2**14])
def test_the_device_makes_the_poison_that_numpy_makes(first: int) -> None:
    """At the first word, at patches' borders, past 2^31 and 2^32 elements."""
    out = torch.zeros(64, dtype=torch.int32)
    _poison_at[(1,)](out, first, TILE=64)
    assert np.array_equal(out.numpy().view(np.uint32), device_check.words(first + np.arange(64)))


@pytest.mark.parametrize("tile", [64, TILE, 2**14, 2**16])
def test_memory_is_poisoned_whole(tile: int) -> None:
    """Whatever the size of a tile."""
    memory = _laid(3, tile)
    assert np.array_equal(memory.numpy().view(np.uint32), device_check.words(np.arange(3 * tile // 4)))


@pytest.mark.parametrize("name", EDGES)
def test_one_wrong_byte_is_flagged_anywhere(name: str) -> None:
    """It flags its tile and no other; a right image flags none, and bytes behind the image do not count."""
    edges = np.array(EDGES[name], np.int64)
    memory = _laid(4)
    for start, stop in edges.reshape(-1, 2).tolist():
        memory[start:stop] = 0
    memory[SIZE:] = 0
    assert device_check.flagged(memory, SIZE, edges, TILE).tolist() == []
    seldom = 1 if name == "within tiles" else 7
    for at in {*range(0, SIZE, seldom), *(e + by for e in EDGES[name][:40] for by in (-1, 0, 1)), SIZE - 1}:
        if not 0 <= at < SIZE:
            continue
        right = int(memory[at])
        memory[at] = right ^ (1 << at % 8)
        assert device_check.flagged(memory, SIZE, edges, TILE).tolist() == [at // TILE], at
        memory[at] = right


def test_each_bit_counts() -> None:
    """The lowest of each byte, too, which is the same in all poison."""
    memory = _laid(2)
    for bit in range(32):
        at = TILE + 8 + bit // 8
        memory[at] ^= 1 << bit % 8
        assert device_check.flagged(memory, 2 * TILE, np.empty(0, np.int64), TILE).tolist() == [1]
        memory[at] ^= 1 << bit % 8


def test_its_launches_are_nobodys() -> None:
    """Neither shown to who watches launches, nor counted as compiled for a target."""
    before = set(compile_keys)
    with Watched(lambda launch: pytest.fail(str(launch))) as watched:
        memory = _laid(1)
        device_check.flagged(memory, TILE, np.empty(0, np.int64), TILE)
    assert not watched.compiled
    assert compile_keys == before


def _verdict(target: str, case: Case, *, large: bool, check: Check = device_check.flagged) -> Verdict:
    engine = Simulator("h200")
    arena = LargeArena(engine, TILE, check) if large else arena_of(engine)
    return run_case(case, load(target), engine, arena, patience=60.0, on_launch=lambda seconds: None)


@pytest.mark.parametrize(
    "target",
    ["masked_grid", "block_stride", "page_table", "index_fill", *map(planted, ["low_byte", "stray_byte", "reclears"])],
)
def test_verdicts_are_those_of_a_small_arena(target: str) -> None:
    """Kind, detail, words and every region, on drawn cases."""
    for index in range(15):
        case, _ = numbered(2, index, ("small",), 1 if target == "index_fill" else 4)
        if total(case) > 2**21:
            continue
        small, large = (_verdict(target, case, large=one) for one in (False, True))
        assert large == small, index


def test_a_warm_up_in_a_large_arena_is_poisoned_over() -> None:
    """The poison is laid by a kernel while a target's launches are watched, and is none of them."""
    name = next(iter(warmups.RIGHT))
    case = replace(numbered(5, 0, ("small",))[0], cold=False)
    verdict = _verdict(f"{ROOT / 'tests' / 'warmups.py'}:{name}", case, large=True)
    assert verdict.label() == "passed", verdict


ONE = Case(
    schema=1,
    domain="contract",
    guard=64,
    segments=(Segment(0, 4, 400, 512),),
    calls=(Call("zero", Ids.parse("1")),),
)


def _nothing(*_: object) -> np.ndarray:
    return np.empty(0, np.int64)


@pytest.mark.parametrize(
    ("check", "target"),
    [(_nothing, planted("low_byte")), (lambda *_: np.array([2]), "masked_grid")],
    ids=["misses", "flags too much"],
)
def test_a_planted_checker_ends_in_infra(check: Check, target: str) -> None:
    """One that misses what NumPy finds, and one that flags what is right."""
    engine = Simulator("h200")
    verdict = held(
        engine,
        lambda _: run_case(
            ONE, load(target), engine, LargeArena(engine, TILE, check), patience=9.0, on_launch=lambda seconds: None
        ),
    )
    assert verdict.outcome == "infra"
    assert "disagree" in verdict.text


@pytest.mark.parametrize("error", [Unproved("no room"), torch.OutOfMemoryError("no room")])
def test_no_memory_is_unproved(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the reason, and never a find."""

    def refuse(size: int, device: torch.device) -> torch.Tensor:
        raise error

    monkeypatch.setattr("fuzz.large_arena.aligned_memory", refuse)
    verdict = _verdict("masked_grid", ONE, large=True)
    assert (verdict.outcome, "no room" in verdict.text) == ("unproved", True)


def test_a_device_with_nothing_left_beside_the_arena_is_unproved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a target that asks for memory would be blamed for it."""
    monkeypatch.setattr("fuzz.large_arena._free", lambda device: 2**20)
    verdict = _verdict("masked_grid", ONE, large=True)
    assert (verdict.outcome, "must be left" in verdict.text) == ("unproved", True)


def test_a_check_without_memory_is_unproved() -> None:
    """Its tables are small, but another worker may have been faster."""

    def run_it(arena: object) -> Verdict:
        raise torch.OutOfMemoryError("full")

    assert held(Simulator("h200"), run_it) == Verdict("unproved", text="full")


@pytest.mark.parametrize("when", ["made", "called"])
def test_a_target_without_memory_beside_an_arena_is_unproved(when: str) -> None:
    """Most of the memory is ours; a target that raises anything else is found."""

    def verdict(error: Exception) -> Verdict:
        def raising(*_: object) -> object:
            raise error

        target = Target("full", raising if when == "made" else lambda table, device: raising, Limits())
        engine = Simulator("h200")
        return held(
            engine, lambda large: run_case(ONE, target, engine, large, patience=9.0, on_launch=lambda seconds: None)
        )

    assert verdict(torch.OutOfMemoryError("full")) == Verdict("unproved", text="OutOfMemoryError: full")
    assert verdict(ValueError("full")).kind == "rejected"


def test_an_engine_that_fails_is_infra() -> None:
    """Not a word about the target."""

    def run_it(arena: object) -> Verdict:
        raise EngineFailed("they disagree")

    assert held(Simulator("h200"), run_it) == Verdict("infra", text="they disagree")


@pytest.mark.parametrize(("end", "how"), [(WHOLE, "usual"), (WHOLE + 8, "large")])
def test_who_gets_a_large_arena(end: int, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A case over 64 MiB, on an engine with a device's memory."""
    engine = Simulator("h200")
    engine.device, engine.keeps_stores = torch.device("meta"), False
    monkeypatch.setattr(run, "held", lambda engine, running: Verdict("unproved", text="large"))
    monkeypatch.setattr(run, "Run", lambda *parts: (_ for _ in ()).throw(Unproved("usual")))
    case = replace(ONE, segments=(Segment(0, 2, 8, end - 8),))
    arena = arena_of(Simulator("h200"))
    verdict = run_case(case, load("masked_grid"), engine, arena, patience=1.0, on_launch=lambda seconds: None)
    assert verdict.text == how
