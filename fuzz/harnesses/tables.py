"""Tables of segments for the launch harness, and the choices that lead to those of a corpus case."""

from __future__ import annotations

from typing import NamedTuple

from fuzz.case import Case
from fuzz.harnesses.grids import Row
from fuzz.source import Source, Trace, Untraceable

MOST = 8
MORE = 2
ADDRESS_BITS = 47
SIZE_BITS = 39
"""A page has up to 2^40 elements."""

ID_BITS = 23
TIMES_BITS = 16
SELDOM = 7
"""One table in eight has sizes of any number of bytes, the others of whole words; one segment in eight stands in
it many times."""

WORD = 4


class Table(NamedTuple):
    """Segments, and how many ids are cleared in them."""

    rows: tuple[Row, ...]
    ids: int


def about_tables(source: Source) -> bool:
    """Whether an input is about tables; else it is about a grid."""
    return bool(source.integer(0, 1))


def drawn(source: Source) -> Table:
    """Up to eight different segments of one page size or of many."""
    unit = 1 if source.integer(0, SELDOM) == SELDOM else WORD
    uniform = source.integer(0, 1)
    rows: list[Row] = []
    while not rows or (len(rows) < MOST and source.integer(0, MORE)):
        base = source.integer(0, 2**ADDRESS_BITS // WORD) * unit
        if uniform and rows:
            _, stride, page, _ = rows[0]
        else:
            page = _size(source, SIZE_BITS) * unit
            stride = page + (_size(source, SIZE_BITS) - 1) * unit
        rows.append(Row(base, stride, page, _size(source, TIMES_BITS) if source.integer(0, SELDOM) == SELDOM else 1))
    return Table(tuple(rows), _size(source, ID_BITS))


def trace(case: Case) -> list[int]:
    """The choices that lead to the table of a case and to its longest call.

    Raises:
        Untraceable: if no table is drawn like that.
    """
    if not 1 <= len(case.segments) <= MOST:
        raise Untraceable("no segments, or more different ones than are drawn")
    to = Trace()
    to.integer(0, 1, 1)
    unit = WORD if case.keeps(WORD) else 1
    to.integer(0, SELDOM, 0 if unit == WORD else SELDOM)
    uniform = len({(one.stride, one.page) for one in case.segments}) == 1
    to.integer(0, 1, int(uniform))
    for index, one in enumerate(case.segments):
        if index:
            to.integer(0, MORE, 1)
        to.integer(0, 2**ADDRESS_BITS // WORD, one.base // unit)
        if not (uniform and index):
            _trace_size(to, SIZE_BITS, one.page // unit)
            _trace_size(to, SIZE_BITS, max(one.stride - one.page, 0) // unit + 1)
        to.integer(0, SELDOM, SELDOM if one.times > 1 else 0)
        if one.times > 1:
            _trace_size(to, TIMES_BITS, one.times)
    if len(case.segments) < MOST:
        to.integer(0, MORE, 0)
    _trace_size(to, ID_BITS, max(len(call.ids) for call in case.calls))
    return to.choices


def _size(source: Source, bits: int) -> int:
    """A number of 1 or more whose width in bits is even."""
    low = 1 << source.integer(0, bits)
    return source.integer(low, 2 * low - 1)


def _trace_size(to: Trace, bits: int, size: int) -> None:
    width = to.integer(0, bits, size.bit_length() - 1)
    to.integer(1 << width, (2 << width) - 1, size)
