"""Launch rules against the launches that were measured on an H200, and the limits of the others."""

from __future__ import annotations

import pytest

from oracles.launches import judge

MEASURED = [
    ((46_340, 181, 256), "runs", ""),
    ((46_346, 181, 256), "skipped", "product"),
    ((65_536, 256, 256), "skipped", "product"),
    ((65_537, 256, 256), "runs", ""),
    ((32_768, 65_536, 1), "skipped", "product"),
    ((16, 65_535, 2), "runs", ""),
    ((16, 65_536, 2), "rejected", "launch-y"),
    ((70_000, 65_536, 1), "rejected", "launch-y"),
    ((2**31,), "rejected", "launch-x"),
    ((2**31 - 1,), "runs", ""),
    ((1, 1, 65_535), "runs", ""),
    ((1, 1, 65_536), "rejected", "launch-z"),
    ((0,), "skipped", "product"),
]


@pytest.mark.parametrize(("grid", "outcome", "detail"), MEASURED)
def test_h200_does_as_measured(grid: tuple[int, ...], outcome: str, detail: str) -> None:
    """The order is: C int, product in 32 bits, driver."""
    assert judge(grid, 4, "h200")[:2] == (outcome, detail)


@pytest.mark.parametrize(
    ("grid", "warps", "outcome", "detail"),
    [
        ((16_777_215,), 4, "runs", ""),
        ((16_777_216,), 4, "rejected", "launch-x"),
        ((8_388_608,), 8, "rejected", "launch-x"),
        ((1, 65_536, 1), 4, "runs", ""),
        ((32_768, 65_536, 1), 4, "runs", ""),
        ((65_536, 65_536, 1), 4, "skipped", "product"),
        ((1,), 32, "rejected", "launch-threads"),
    ],
)
def test_mi300x_counts_work_items(grid: tuple[int, ...], warps: int, outcome: str, detail: str) -> None:
    """Blocks times threads below 2^32 in each dimension; only a product of zero is skipped."""
    assert judge(grid, warps, "mi300x")[:2] == (outcome, detail)


@pytest.mark.parametrize(
    ("grid", "outcome", "detail"),
    [
        ((65_535,), "runs", ""),
        ((65_536,), "rejected", "launch-product"),
        ((256, 256, 1), "rejected", "launch-product"),
        ((0,), "rejected", "launch-product"),
    ],
)
def test_ascend_bounds_the_product(grid: tuple[int, ...], outcome: str, detail: str) -> None:
    """All dimensions together hold 65,535 programs, and an empty grid is refused."""
    assert judge(grid, 4, "ascend910b")[:2] == (outcome, detail)


def test_a_block_of_too_many_threads_is_refused() -> None:
    """33 warps of 32 are more than 1,024 threads."""
    assert judge((1,), 32, "h200").outcome == "runs"
    assert judge((1,), 33, "h200")[:2] == ("rejected", "launch-threads")


def test_the_reason_is_in_words() -> None:
    """A reason names the grid, the dimension and the limit."""
    assert judge((1, 65_536, 1), 4, "h200").reason == "grid (1, 65536, 1): y = 65536, the driver takes 1 to 65535"
