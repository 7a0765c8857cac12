"""chunk_list on the simulator: exact to the byte, whole under any limit of a grid, one variant for all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from fuzz.arena import arena_of
from fuzz.build import numbered
from fuzz.case import WHOLE, Call, Case, Segment
from fuzz.engines import NOTHING
from fuzz.engines.launch_hook import Watched
from fuzz.engines.simulator import register
from fuzz.engines.simulator.engine import Simulator
from fuzz.ids import Ids
from fuzz.loading import load
from fuzz.run import run_case
from fuzz.target import Target
from kvzero import Limits, SegmentTable
from kvzero.generations import chunk_list
from kvzero.generations.elements import ELEMENT
from kvzero.zeroer import KVBlockZeroer
from oracles.launches import PROFILES

COUNTS = (1, 2, 3, 15, 16, 17, 32, 4096, 65536)
POISON = 0xA5
GIB = 2**30


@pytest.fixture
def verdict() -> Callable[..., str]:
    """Runs a case on a target in this process, under a device's limits."""

    def run(case: Case, target: Target | None = None, profile: str = "h200") -> str:
        engine = Simulator(profile)
        chosen = target or load("chunk_list")
        return run_case(case, chosen, engine, arena_of(engine), patience=60.0, on_launch=lambda seconds: None).label()

    return run


def _case(*segments: Segment, ids: str = "1", **more: Any) -> Case:
    calls = (Call("zero", Ids.parse(ids)),)
    return Case(schema=1, domain="contract", guard=256, segments=segments, calls=calls, **more)


def _cleared(table: SegmentTable, size: int, ids: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """What becomes of ``size`` poisoned bytes, and what should; addresses of the table count from the first."""
    memory = torch.full((size + 16,), POISON, dtype=torch.uint8)
    start = -memory.data_ptr() % 16
    register(memory)
    table.base[:] += memory.data_ptr() + start
    KVBlockZeroer.of(table, "cpu", kernel="chunk_list").zero_block_ids(ids)
    wanted = np.full(size, POISON, np.uint8)
    for base, stride, page in zip(table.base.tolist(), table.stride.tolist(), table.page.tolist(), strict=True):
        for block in ids:
            first = base - memory.data_ptr() - start + block * stride
            wanted[first : first + page] = 0
    return memory.numpy()[start : start + size], wanted


@pytest.mark.parametrize("page", [*range(1, 50), 127, 128, 129, 144, 145])
def test_every_alignment_is_exact_to_the_byte(page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages that begin at each of 16 places in a vector, of chunks whose later ones begin at each of them, too."""
    monkeypatch.setattr(chunk_list, "CHUNK", 64)
    monkeypatch.setattr(chunk_list, "BLOCK_SIZE", 16)
    base = np.arange(16, dtype=np.int64) * 1001 + 300
    table = SegmentTable(base, np.full(16, 331, np.int64), np.full(16, page, np.int64), 3)
    found, wanted = _cleared(table, 17_000, [2, 0])
    assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("most", [1, 2, 5, 7, 64])
@pytest.mark.parametrize("ids_a_program", [1, 2, 4])
def test_what_a_grid_does_not_hold_is_looped_over(
    most: int, ids_a_program: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few programs for many chunks, for many ids, and for both."""
    monkeypatch.setattr(chunk_list, "MOST_PROGRAMS", most)
    monkeypatch.setattr(chunk_list, "IDS_A_PROGRAM", ids_a_program)
    monkeypatch.setattr(chunk_list, "CHUNK", 128)
    page = np.array([300, 1, 140, 64, 8], np.int64)
    table = SegmentTable(np.arange(5, dtype=np.int64) * 8192, np.full(5, 400, np.int64), page, 20)
    found, wanted = _cleared(table, 40_960, [*range(0, 20, 2), 19, 3, 3])
    assert found.tobytes() == wanted.tobytes()


class _Planted:
    """The kernel behind a launch that forgets one id in a loop of ids."""

    def __getitem__(self, grid: tuple[int, ...]) -> Any:
        whole = chunk_list.kernel[grid]
        return lambda table, ids, chunks, count, **named: whole(table, ids, chunks, min(count, grid[1]), **named)


def test_a_loop_that_is_left_out_is_seen(verdict: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same few programs, a launch that trusts its grid leaves pages stale."""
    monkeypatch.setattr(chunk_list, "MOST_PROGRAMS", 2)

    def trusting(table: Any, device: Any) -> Any:
        meta = chunk_list.plan(table, device)
        return lambda ids: chunk_list.launch(meta, torch.tensor(ids), _Planted())

    case = _case(Segment(0, 8, 64, 64), ids="0-7")
    assert verdict(case, Target("trusting", trusting, Limits())) == "stale:whole page"
    assert verdict(case) == "passed"


@pytest.mark.parametrize("profile", PROFILES)
def test_every_device_runs_what_the_generations_before_could_not(verdict: Callable[..., str], profile: str) -> None:
    """65,536 segments; more ids than y or z hold; a product of 2^31 programs in masked_grid's grid."""
    wide = Segment(0, 1, 520_196, 520_196, 32)
    for case in (
        _case(Segment(0, 1, 4, 4, 65_536), ids="0"),
        _case(*(Segment(8 * index, 1, 4, 4) for index in range(65_537)), ids="0"),
        _case(Segment(0, 66_000, 4, 8), ids="0-65999"),
        _case(wide, ids="0*524288"),
        _case(replace(wide, times=1), ids="0*16385", blocks_known=False),
    ):
        assert verdict(case, profile=profile) == "passed"


@pytest.mark.parametrize("page", [2 * GIB + 5, 40 * GIB + 1])
def test_a_page_of_gigabytes_is_cleared_whole(verdict: Callable[..., str], page: int) -> None:
    """Past the chunks of masked_grid's grid, and past 2^31 elements; exact at both ends."""
    case = _case(Segment(3, 3, page, page + 7), ids="0,2")
    assert case.end > WHOLE
    assert verdict(case) == "passed"


def test_a_base_far_from_its_blocks(verdict: Callable[..., str]) -> None:
    """The targeted block lies in the arena; block 0 would lie below address 0."""
    far = Segment(-(2**46) + 5, 2**20 + 1, 100, 2**26)
    assert verdict(_case(far, ids=str(2**20))) == "passed"


def test_one_variant_serves_every_table_and_every_count() -> None:
    """Any number of ids, blocks, segments, any alignment of table and ids; and the warm-up has compiled it."""
    memory = torch.full((2**17,), POISON, dtype=torch.uint8)
    register(memory)
    keys: list[set[str]] = []
    for segments, blocks, page in ((1, 17, 37), (2, 1, 1), (3, 16, 100), (16, 2, 1024), (17, 3, 64)):
        base = memory.data_ptr() + np.arange(segments, dtype=np.int64) * 5001
        column = np.full(segments, page, np.int64)
        one = KVBlockZeroer.of(SegmentTable(base, column, column, blocks), "cpu", kernel="chunk_list")
        with Watched(lambda launch: launch.grid) as warm:
            one.warmup(blocks)
        assert bool((memory == POISON).all())
        with Watched(lambda launch: NOTHING) as watched:
            for count in COUNTS:
                chunk_list.launch(one._meta, torch.full((count,), blocks - 1))
        keys += [{compiled.key for compiled in seen.compiled} for seen in (warm, watched)]
    ids = torch.zeros(3, dtype=torch.int64)
    with Watched(lambda launch: NOTHING) as odd:
        chunk_list.launch(one._meta, ids[1:])
    keys.append({compiled.key for compiled in odd.compiled})
    assert len(set().union(*keys)) == 1
    assert all(len(found) == 1 for found in keys)


@pytest.mark.parametrize("profile", ["small", "far", "hostile"])
def test_drawn_cases_pass(verdict: Callable[..., str], profile: str) -> None:
    """Granular to the byte; of hostile ones none is accepted."""
    cases = [numbered(11, index, (profile,), 1)[0] for index in range(150)]
    assert any(segment.stride % ELEMENT for case in cases for segment in case.segments)
    assert {verdict(case) for case in cases} == {"passed"}
