"""Whole kernels against NumPy: copies, tiles, loops, branches, reductions, atomics."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import triton.language as tl

from fuzz.engines.simulator import flow, frame, register, width
from fuzz.engines.simulator.faults import Hang, Unsupported
from fuzz.engines.simulator.launcher import RaceWarning
from tests.simulator import kernels


def _numbers(*shape: int, dtype: torch.dtype = torch.int32) -> torch.Tensor:
    return torch.arange(1, 1 + int(np.prod(shape)), dtype=dtype).reshape(shape)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64, torch.bfloat16, torch.float16])
def test_copies_of_every_width(dtype: torch.dtype) -> None:
    """Floats are moved as the bits they are, also where a mask cuts."""
    source = torch.linspace(-100, 100, 1000).to(dtype)
    target = torch.full_like(source, 7)
    kernels.copy[(8,)](source, target, 900, WIDTH=128)
    assert torch.equal(target[:900], source[:900])
    assert torch.equal(target[900:], torch.full_like(source, 7)[900:])


def test_a_gather_under_a_mask() -> None:
    """Indices in any order, with repeats."""
    source, index = _numbers(64), torch.tensor([5, 5, 63, 0, 17])
    target = torch.zeros(8, dtype=torch.int32)
    kernels.gather[(1,)](source, index, target, 5, WIDTH=8)
    assert target.tolist() == [6, 6, 64, 1, 18, 0, 0, 0]


@pytest.mark.parametrize(("count", "width"), [(1, 1), (4, 16), (5, 17), (9, 33), (8, 32)])
def test_a_two_dimensional_tile(count: int, width: int) -> None:
    """Rows are blocks, columns a chunk of the page; both masks cut."""
    blocks, stride = 16, 40
    target, ids = _numbers(blocks * stride), torch.tensor([3, 0, 15, 3, 8, 1, 2, 7, 9][:count])
    expected = target.clone().reshape(blocks, stride)
    expected[ids, :width] = 0
    kernels.rows[(3, 3)](target, ids, count, stride, width, ROWS=4, COLUMNS=16)
    assert torch.equal(target, expected.ravel())


@pytest.mark.parametrize("count", [1, 4, 7, 12])
def test_loops_whose_bounds_differ_from_program_to_program(count: int) -> None:
    """The last program has fewer ids, others none."""
    stride, width = 24, 19
    target, ids = _numbers(16 * stride), torch.arange(15, 15 - count, -1)
    expected = target.clone().reshape(16, stride)
    expected[ids, :width] = 0
    kernels.looped[(4,)](target, ids, count, stride, width, PER=3, WIDTH=8)
    assert torch.equal(target, expected.ravel())


def test_a_while_loop_with_a_branch() -> None:
    """Programs leave a loop at different rounds; those that are through wait."""
    target = torch.zeros(60, dtype=torch.int32)
    kernels.collatz[(60,)](target, 60)

    def rounds(number: int) -> int:
        return 0 if number == 1 else 1 + rounds(number // 2 if number % 2 == 0 else 3 * number + 1)

    assert target.tolist() == [rounds(number) for number in range(1, 61)]


def test_reductions() -> None:
    """Sum and maximum of each row, wrapping at 32 bits."""
    source = torch.tensor([[1, 2, 3, 4], [2**31 - 1, 1, 0, 0], [-5, -6, -7, -8]], dtype=torch.int32)
    target = torch.zeros(6, dtype=torch.int32)
    kernels.sums[(3,)](source, target, WIDTH=4)
    assert target.tolist() == [10, 4, -(2**31), 2**31 - 1, -26, -5]


def test_atomics_run_one_program_after_another() -> None:
    """Each draws its own ticket; the first to swap wins."""
    counter, order, slot = (
        torch.zeros(2, dtype=torch.int32),
        torch.zeros(5, dtype=torch.int32),
        torch.zeros(1, dtype=torch.int32),
    )
    kernels.tickets[(5,)](counter, order, slot)
    assert counter.tolist() == [5, 4]
    assert sorted(order.tolist()) == [0, 1, 2, 3, 4]
    assert slot.item() == 7


def test_a_race_is_pointed_out() -> None:
    """Different values to one byte by two programs are a warning; the same value is none."""
    target = torch.zeros(1, dtype=torch.int32)
    with pytest.warns(RaceWarning, match=r"each_its_own: programs 0 and 1 write 0 and 1 to the byte at 0x"):
        kernels.each_its_own[(2,)](target)
    kernels.one_word[(9,)](target)


def test_registered_memory_may_be_touched() -> None:
    """An address that no argument carries is fine once its tensor is registered."""
    memory = _numbers(8)
    register(memory)
    kernels.at_address[(1,)](torch.tensor([memory.data_ptr() + 8]), WIDTH=4)
    assert memory.tolist() == [1, 2, 0, 0, 0, 0, 7, 8]


def test_a_loop_without_an_end_is_a_hang() -> None:
    """Counted in rounds, not in time."""
    with pytest.raises(Hang, match="100000 rounds without an end"):
        kernels.for_ever[(2,)](torch.zeros(1, dtype=torch.int32), torch.zeros(1, dtype=torch.int32))


def test_an_unknown_operation_is_named_with_its_line() -> None:
    """Nothing is guessed."""
    with pytest.raises(Unsupported, match=r"operation math\.sin, at .*kernels\.py:\d+"):
        kernels.sine[(1,)](torch.zeros(1), torch.zeros(1))


def test_a_grid_of_a_million_programs() -> None:
    """More than one slice; each program at its own place."""
    target = _numbers(2**21 + 5)
    kernels.copy[(2**21 + 5,)](target * 0, target, 2**21 + 5, WIDTH=1)
    assert not target.any()


@pytest.mark.parametrize("dtype", [tl.int8, tl.int16, tl.int32, tl.uint8, tl.uint32])
def test_a_loop_carried_number_keeps_its_width(dtype: tl.dtype) -> None:
    """It wraps, and is read as unsigned where it is, after different rounds for each program."""
    counts, target = torch.tensor([1, 2, 8, 0], dtype=torch.int32), torch.zeros(16, dtype=torch.int32)
    kernels.narrow_sums[(4,)](counts, target, DTYPE=dtype)
    bits, signed = dtype.primitive_bitwidth, dtype.is_int_signed()
    expected = [100 + 20 * count for count in (1, 2, 8, 0)]
    expected = [(n + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1) if signed else n % 2**bits for n in expected]
    assert target[:4].tolist() == expected
    assert target[8:12].tolist() == [int(n / 3) for n in expected]


@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 0.9, 123.456, -0.001, 0.0, 6e4])
def test_float_constants_have_the_bits_of_torch(value: float) -> None:
    """Of all widths, rounded to the nearest."""
    for kind, dtype in ((tl.bfloat16, torch.bfloat16), (tl.float16, torch.float16), (tl.float32, torch.float32)):
        target = torch.zeros(8, dtype=dtype)
        kernels.constant[(1,)](target, VALUE=value, DTYPE=kind)
        assert target.view(torch.int8).tolist() == torch.full((8,), value, dtype=dtype).view(torch.int8).tolist()


def test_a_tile_is_transposed() -> None:
    """Rows become columns."""
    source, target = _numbers(4, 8), torch.zeros(32, dtype=torch.int32)
    kernels.transposed[(1,)](source, target)
    assert torch.equal(target, source.T.reshape(32))


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64])
def test_an_index_of_every_width_far_into_a_storage(dtype: torch.dtype) -> None:
    """Where the table starts in its storage does not count into the index's width."""
    table, index = _numbers(1000)[300:], torch.tensor([1, 100, -3], dtype=dtype)
    target = torch.zeros(3, dtype=torch.int32)
    kernels.looked_up[(3,)](table, index, target)
    assert target.tolist() == [302, 401, 298]


@pytest.mark.parametrize(("by", "expected"), [(2, [-20, -2]), (40, [0, -1]), (-2, [0, -1]), (31, [-(2**31), -1])])
def test_shifts_beyond_the_width(by: int, expected: list[int]) -> None:
    """They leave nothing but the sign, and raise nothing: a select may discard them."""
    target = torch.zeros(2, dtype=torch.int32)
    kernels.shifted[(1,)](target, -5, by)
    assert target.tolist() == expected


def test_booleans_add_modulo_two() -> None:
    """True and true is false."""
    a, b = torch.tensor([True, True, False, False]), torch.tensor([True, False, True, False])
    target = torch.zeros(4, dtype=torch.int8)
    kernels.booleans[(1,)](a, b, target)
    assert target.abs().tolist() == [0, 1, 1, 0]


def test_a_long_loop_that_ends_is_no_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds of a loop with bounds are counted beforehand."""
    monkeypatch.setattr(frame, "MOST_ROUNDS", 1000)
    target = torch.zeros(1, dtype=torch.int32)
    kernels.many_rounds[(1,)](target, 1500)
    assert target.item() == 750
    with pytest.raises(Unsupported, match="a loop of 2147483647 rounds"):
        kernels.many_rounds[(1,)](target, 2**31 - 1)


def test_short_loops_in_each_other_are_counted_together() -> None:
    """A kernel that goes through ids and segments by itself may be right and slow; that is no hang."""
    target = torch.zeros(2**16, dtype=torch.int32)
    kernels.many_rounds_in_rounds[(4,)](target, 10)
    assert target[:5].tolist() == [50] * 4 + [0]
    with pytest.raises(Unsupported, match="a loop of 150 rounds; too many in all for 65536 programs"):
        kernels.many_rounds_in_rounds[(2**16,)](target, 150)


def test_views_of_one_allocation_may_overlap_and_touch() -> None:
    """Every byte of any of them may be written, also in one stretch across two."""
    memory = np.ones(256, np.int8)
    register(torch.from_numpy(memory[64:96]))
    register(torch.from_numpy(memory[96:128]))
    kernels.cleared[(1,)](torch.from_numpy(memory[64:96]), 64, WIDTH=64)
    assert memory.sum() == 256 - 64
    kernels.cleared[(1,)](torch.from_numpy(memory), 256, WIDTH=256)
    assert not memory.any()


@pytest.mark.parametrize("most", [width.MOST_ELEMENTS, 64, 1])
def test_a_branch_whose_programs_are_too_wide_together(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Few at a time, from the middle of it on, do what all together do, and do nothing twice."""
    monkeypatch.setattr(width, "MOST_ELEMENTS", most)
    lanes, rows, n = 16, 24, 7
    source, target = _numbers(n), torch.full((rows, lanes + 1), -1, dtype=torch.int32)
    gathered = torch.zeros(1, dtype=torch.int32)
    kernels.branched[(rows,)](source, target, gathered, n, WIDTH=lanes)
    row, lane = np.arange(rows)[:, None], np.arange(lanes)
    found = np.where(row % 3 == 0, 0, (lane * lane + row) % n + 1)
    last = np.where(row[:, 0] % 3 == 0, row[:, 0] * 2, found.sum(axis=1))
    assert np.array_equal(target.numpy(), np.column_stack([found, last]))
    assert gathered.item() == rows * 2 // 3


@pytest.mark.parametrize("most", [width.MOST_ELEMENTS, 32])
def test_rounds_in_a_branch_are_those_of_the_programs_at_hand(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """A hundred rounds are too many on both sides of where programs are parted; those of the parts are not added up."""
    monkeypatch.setattr(frame, "MOST_ROUNDS", 100)
    monkeypatch.setattr(width, "MOST_ELEMENTS", most)
    target = torch.zeros((8, 16), dtype=torch.int32)
    kernels.rounds_around_a_gather[(8,)](target, 40, WIDTH=16)
    assert target[:, 1].tolist() == [40] * 8
    with pytest.raises(Hang):
        kernels.rounds_around_a_gather[(8,)](target, 60, WIDTH=16)


@pytest.mark.parametrize("most", [width.MOST_ELEMENTS, 32])
def test_rounds_behind_a_branch_go_on_from_the_most_of_its_parts(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Those of the part that came last are fewer, and too few for a hang."""
    monkeypatch.setattr(frame, "MOST_ROUNDS", 100)
    monkeypatch.setattr(width, "MOST_ELEMENTS", most)
    target = torch.zeros((6, 16), dtype=torch.int32)
    kernels.rounds_behind_a_branch[(6,)](target, 40, WIDTH=16)
    assert target[:, 0].tolist() == [80, 72, 64, 56, 48, 40]
    with pytest.raises(Hang):
        kernels.rounds_behind_a_branch[(6,)](target, 60, WIDTH=16)


@pytest.mark.parametrize("below", [0, 1, 40, 64])
def test_a_branch_around_what_stays_lazy_is_taken_by_all_programs_at_once(
    monkeypatch: pytest.MonkeyPatch, below: int
) -> None:
    """Lanes that nobody writes out are no reason to go program by program."""
    monkeypatch.setattr(width, "MOST_ELEMENTS", 128)
    runs = 0
    run = flow.Straight.run

    def counted(block: flow.Straight, there: frame.Frame, start: int = 0) -> None:
        nonlocal runs
        runs += 1
        run(block, there, start)

    monkeypatch.setattr(flow.Straight, "run", counted)
    target = torch.ones((64, 128), dtype=torch.int32)
    kernels.cleared_below[(64,)](target, below, WIDTH=128)
    assert runs <= 3
    assert target[:, 0].tolist() == target[:, 127].tolist() == [0] * below + [1] * (64 - below)
