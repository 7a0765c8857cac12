"""The grid that each generation must ask for, by plain arithmetic on unbounded integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

ELEMENT = 4
WIDEST = 1024
PROGRAMS = 65_535

Grid = tuple[int, ...]


class Row(NamedTuple):
    """A segment in bytes, ``times`` over."""

    base: int
    stride: int
    page: int
    times: int = 1


def refusal(name: str, rows: Sequence[Row]) -> type[Exception] | None:
    """What a generation's planner must raise for a table: it counts elements of four bytes, or one stride."""
    if name == "chunk_list":
        return None
    if any(size % ELEMENT for row in rows for size in row[:3]):
        return ValueError
    return AssertionError if name == "uniform_page" and len({row.stride for row in rows}) > 1 else None


def expected(name: str, rows: Sequence[Row], ids: int) -> list[Grid] | None:
    """The grids of one call of ``ids`` ids, in order; None where the generation cuts chunks of its own."""
    rule = _RULES.get(name)
    return rule([row.stride // ELEMENT for row in rows], rows, ids) if rule else None


def _stride_flat(strides: list[int], rows: Sequence[Row], ids: int) -> list[Grid]:
    """Ids times segments times chunks, the chunk a divisor of all, a page as wide as its stride."""
    return [(ids * _segments(rows) * (max(strides) // _divisor(strides)),)]


def _buckets(strides: list[int], rows: Sequence[Row], ids: int) -> list[Grid]:
    """The same for each stride by itself."""
    alike = {stride: [row for row in rows if row.stride == stride * ELEMENT] for stride in strides}
    return [grid for stride, some in alike.items() for grid in _stride_flat([stride], some, ids)]


def _page_flat(_strides: list[int], rows: Sequence[Row], ids: int) -> list[Grid]:
    """Stride apart from page."""
    return [(ids * _segments(rows) * _page_chunks(rows),)]


def _on_z(_strides: list[int], rows: Sequence[Row], ids: int) -> list[Grid]:
    """The three factors as dimensions, ids last."""
    return [(_page_chunks(rows), _segments(rows), ids)]


def _masked(_strides: list[int], rows: Sequence[Row], ids: int) -> list[Grid]:
    """The three factors, ids first; a chunk is a power of two that need not divide anything."""
    widest = max(row.page for row in rows) // ELEMENT
    chunk = next(power for power in (1 << bits for bits in range(11)) if power == WIDEST or power >= widest)
    return [(ids, _segments(rows), (widest + chunk - 1) // chunk)]


def _segments(rows: Sequence[Row]) -> int:
    return sum(row.times for row in rows)


def _page_chunks(rows: Sequence[Row]) -> int:
    pages = [row.page // ELEMENT for row in rows]
    return max(pages) // _divisor(pages)


def _divisor(sizes: list[int]) -> int:
    """The widest power of two up to 1,024 elements that divides all sizes."""
    return max(1 << bits for bits in range(11) if all(size % (1 << bits) == 0 for size in sizes))


_RULES: dict[str, Callable[[list[int], Sequence[Row], int], list[Grid]]] = {
    "uniform_page": _stride_flat,
    "page_table": _stride_flat,
    "page_buckets": _buckets,
    "block_stride": _page_flat,
    "ids_on_z": _on_z,
    "masked_grid": _masked,
}
