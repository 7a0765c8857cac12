"""Timing kernels: what is timed is right, and what a row says is arithmetic that can be done by hand."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import pytest
import torch

from fuzz.bench import kernel
from fuzz.bench.geometries import FIXED, Geometry, parsed
from fuzz.bench.pace import CONTIGUOUS, Cache, measured
from fuzz.errors import EngineError, UsageError
from tests.timed import Ticking, kernel_named, known

CPU = torch.device("cpu")
SMALL = Geometry("small", (64, 4, 1168), 9, 5)


def test_rows_say_what_was_timed() -> None:
    """Useful bytes over the median, fastest and slowest of the timed rounds; cold calls are none of them."""
    clock = Ticking()
    rows = measured(
        SMALL,
        {"masked_grid": kernel_named("masked_grid"), "chunk_list": kernel_named("chunk_list")},
        CPU,
        clock,
        3,
        known,
    )
    assert [row["target"] for row in rows] == ["masked_grid", "chunk_list", CONTIGUOUS]
    assert clock.calls == 3 * (3 + 3)
    first = rows[0]
    assert first["bytes"] == (64 + 4 + 1168) * 5
    timed = [10e-3, 13e-3, 16e-3]  # calls by turns: the first target's are 1, 4, 7 cold and 10, 13, 16 timed
    assert first["microseconds"] == 13_000.0
    assert first["gb_per_second"] == round(first["bytes"] / timed[1] / 1e9, 1)
    assert first["host_microseconds"] > 0


@pytest.mark.parametrize("wrong", ["nothing", "too much"])
def test_a_wrong_zeroer_is_not_timed(wrong: str) -> None:
    """Neither one that leaves a page, nor one that clears a byte more."""

    def make(table: Any, device: Any) -> Callable[[list[int]], None]:
        zero = kernel_named("masked_grid")(table, device)
        return zero if wrong == "too much" else lambda ids: zero(ids[1:])

    cache: list[torch.Tensor] = []

    @contextmanager
    def noted(memory: torch.Tensor):
        cache.append(memory)
        with known(memory):
            yield

    def greedy(table: Any, device: Any) -> Callable[[list[int]], None]:
        zero = make(table, device)

        def both(ids: list[int]) -> None:
            zero(ids)
            cache[0][-1] = 0

        return both if wrong == "too much" else zero

    with pytest.raises(EngineError, match="target=greedy: clears geometry small wrongly"):
        measured(SMALL, {"greedy": greedy}, CPU, Ticking(), 1, noted)


def test_calls_clear_other_blocks_each_time() -> None:
    """Distinct blocks, in no order, not those of the call before."""
    cache = Cache(SMALL, CPU)
    first, second = cache.ids(1), cache.ids(2)
    assert len(set(first)) == len(set(second)) == SMALL.ids
    assert first != second
    assert max(first + second) < SMALL.blocks
    assert first == cache.ids(1)


def test_the_fixed_geometries_are_those_of_the_reports() -> None:
    """Useful bytes of each, by hand: elements of four bytes times ids."""
    useful = {one.name: one.useful for one in FIXED}
    dsv4 = (91 * 9344 + 90 * 292) * 4
    assert useful == {
        "dsv4-6870": dsv4 * 6870,
        "dsv4-64": dsv4 * 64,
        "dsv4-1": dsv4,
        "glm-256": 78 * (10496 + 2112) * 4 * 256,
        "uniform-128": 24 * 16384 * 4 * 128,
        "odd-1000": (91 * 9345 + 90 * 293) * 4 * 1000,
    }


def test_a_geometry_is_written_in_one_word() -> None:
    """Segments of a page, blocks and ids."""
    assert parsed("2x8+1x64@10:3") == Geometry("2x8+1x64@10:3", (8, 8, 64), 10, 3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must be SEGMENTSxPAGE"),
        ("2x8", "must be SEGMENTSxPAGE"),
        ("2x-8@10:3", "must be SEGMENTSxPAGE"),
        ("2x8@10:11", "a call clears 1 to 10 distinct ones"),
        ("2x8@10:0", "a call clears 1 to 10 distinct ones"),
        ("0x8@10:3", "must be 1 or more"),
    ],
)
def test_what_is_no_geometry_is_refused(text: str, words: str) -> None:
    """With the form, or the number that is out of range."""
    with pytest.raises(UsageError, match=words):
        parsed(text)


def test_the_speed_up_is_a_geometric_mean() -> None:
    """Twice as fast on one geometry and eight times on another is four times."""
    rows = [
        {"geometry": name, "target": target, "gb_per_second": rate}
        for name, target, rate in [("a", "new", 20.0), ("a", "masked_grid", 10.0), ("b", "new", 8.0),
                                   ("b", "masked_grid", 1.0)]
    ]  # fmt: skip
    assert kernel.speedup(rows, "new") == 4.0
    assert kernel.speedup(rows, "masked_grid") == 1.0


def test_without_a_gpu_nothing_is_timed() -> None:
    """The process that times says what is missing."""
    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    with pytest.raises(EngineError, match="torch sees no CUDA device"):
        kernel.run(lambda words: None)
