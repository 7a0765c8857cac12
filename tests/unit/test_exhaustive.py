"""Profile exhaustive: what it claims to try it tries, once each, and planted faults do not pass."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from fuzz.arena import arena_of
from fuzz.build import numbered
from fuzz.case import Case
from fuzz.control import Control
from fuzz.errors import UsageError
from fuzz.events import Report, Whole
from fuzz.profiles import NAMES, bound, edges, exhaustive, fitting
from fuzz.reports.json_report import as_json
from fuzz.reports.terminal import ending
from fuzz.rules import broken_rule
from fuzz.run import run_case
from fuzz.target import Target
from kvzero import Limits
from tests.conftest import ROOT
from tests.unit.test_run import FakeEngine, clear

UNITS = (1, 2, 4, 16, 64)
NUMBERS = 3000
"""So many cases, the first ones, are enough for each planted fault."""

Row = tuple[bool, int, tuple[int, ...], tuple[tuple[int, int, int], ...]]
"""Blocks told, blocks, ids, and base, page and stride of each segment."""


def _row(case: Case) -> Row:
    (call,) = case.calls
    segments = tuple((s.base, s.page, s.stride) for s in case.segments)
    return case.blocks_known, case.blocks, tuple(call.ids.tolist()), segments


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """All cases for a unit of four bytes."""
    return [_row(exhaustive.case(index, 4)) for index in range(exhaustive.size(4))]


def test_no_case_stands_twice(rows: list[Row]) -> None:
    """The size is the count of distinct cases, and there is none behind the last."""
    assert len(set(rows)) == exhaustive.size(4)
    for beyond in (-1, exhaustive.size(4)):
        with pytest.raises(IndexError, match=f"index={beyond}: must be 0 to"):
            exhaustive.case(beyond, 4)


@pytest.mark.parametrize("unit", UNITS)
def test_every_case_is_legal_and_keeps_the_unit(unit: int) -> None:
    """A sample over the whole breaks no rule, and the arenas are small; a sample of it has no duplicates either."""
    cases = [exhaustive.case(index, unit) for index in range(0, exhaustive.size(unit), 97)]
    assert len({_row(case) for case in cases}) == len(cases)
    assert {broken_rule(case) for case in cases} == {None}
    assert all(case.keeps(unit) for case in cases)
    assert max(case.end for case in cases) < 2**18
    assert all(len(case.segments) <= 2 and case.blocks <= 4 and len(case.calls[0].ids) <= 3 for case in cases)


def test_one_segment_meets_every_list_on_every_shift(rows: list[Row]) -> None:
    """Each page with each of its strides, at each alignment, with all lists of up to three of four ids."""
    alone = {(ids, *segments[0]) for _, blocks, ids, segments in rows if len(segments) == 1 and blocks == 4}
    lists = [ids for length in range(4) for ids in product(range(4), repeat=length)]
    shapes = [(page, stride) for page in edges.pages(4) for stride in edges.strides(page, 4)]
    assert alone == {(ids, base, *shape) for ids in lists for base in edges.shifts(4) for shape in shapes}


def test_two_segments_meet_every_list_in_every_placement(rows: list[Row]) -> None:
    """One to four blocks, ids in every order and with repeats, told or not, each with as many geometries."""
    met = Counter((told, blocks, ids) for told, blocks, ids, segments in rows if min(segments)[0] == 12)
    lists = [(n, ids) for n in range(1, 5) for length in range(4) for ids in product(range(n), repeat=length)]
    assert met.keys() == {(told, *one) for told in (True, False) for one in lists}
    assert set(met.values()) == {5 * len(exhaustive.FEW_SHAPES) ** 2}
    for placements in (_placements(rows, blocks) for blocks in range(1, 5)):
        assert placements == {"apart", "apart, higher first", "one base", "overlap", "overlap, higher first"}


def _placements(rows: list[Row], blocks: int) -> set[str]:
    found = set()
    for _, count, _, segments in rows:
        if count == blocks and len(segments) == 2:
            low, high = sorted(segments)
            order = ", higher first" if segments[0][0] > segments[1][0] else ""
            if low[0] == high[0]:
                found.add("one base")
            elif high[0] < low[0] + low[1]:
                found.add("overlap" + order)
            elif high[0] >= low[0] + count * low[2]:
                found.add("apart" + order)
    return found


def test_every_pair_of_shapes_is_tried_in_five_placements(rows: list[Row]) -> None:
    """Narrow pages with all their strides from base 0; packed pages of every size on the other shifts."""
    narrow = [(page, stride) for page in edges.narrow(4) for stride in edges.strides(page, 4)]
    met = Counter((one[1:], two[1:]) for _, _, ids, (one, *rest) in rows for two in rest if ids == (2, 0)
                  if min(one[0], two[0]) == 0)  # fmt: skip
    assert met == Counter(dict.fromkeys(product(narrow, repeat=2), 5))
    packed = [(page, page) for page in edges.pages(4)]
    met = Counter((min(one, two)[0], one[1:], two[1:]) for _, _, ids, (one, *rest) in rows for two in rest
                  if ids == (3, 1) and min(one, two)[0] in (4, 8, 16))  # fmt: skip
    assert met == Counter({(shift, *pair): 5 for shift in (4, 8, 16) for pair in product(packed, repeat=2)})


@pytest.mark.parametrize("unit", UNITS)
def test_edges_keep_the_unit_and_have_neighbours(unit: int) -> None:
    """A page on each side of every power, strides that hold the page, one shift for each alignment."""
    pages = edges.pages(unit)
    assert pages[0] == unit
    assert not any(page % unit for page in pages)
    for power in (p for p in (*edges.POWERS, 4096) if p > unit):
        assert {power - unit, power, power + unit} <= set(pages)
    for page in pages:
        found = edges.strides(page, unit)
        assert {page, page + unit, 2 * page} <= set(found)
        assert not any(stride % unit for stride in found)
        assert min(found) == page
        assert {-(-page // pad) * pad for pad in (16, 128) if pad >= unit} <= set(found)
    assert [shift & -shift for shift in edges.shifts(unit)] == list(edges.shifts(unit))
    assert edges.shifts(unit)[-1] == max(16, 4 * unit)


def test_a_target_of_one_byte_gets_byte_edges_as_well() -> None:
    """Unit 1 has the edges of words, those of bytes around them, and a size of its own."""
    assert set(edges.pages(4)) <= set(edges.pages(1))
    assert {63, 65, 4095, 4097} <= set(edges.pages(1)) - set(edges.pages(4))
    assert exhaustive.size(1) > exhaustive.size(4) > exhaustive.size(16)


def test_the_readme_tells_the_sizes() -> None:
    """Of targets of four bytes and of one, as they are today."""
    words = (ROOT / "README.md").read_text()
    assert f"{exhaustive.size(4):,} of them" in words
    assert f"{exhaustive.size(1):,} for a target" in words


def test_neighbours_come_from_all_parts() -> None:
    """Of the first hundred cases each part has its share, so that a run cut short saw some of everything."""
    first = [exhaustive.case(index, 4) for index in range(100)]
    assert 20 < sum(len(case.segments) == 1 for case in first) < 45
    assert 10 < sum(min(s.base for s in case.segments) == 12 for case in first) < 30
    assert any(not case.blocks_known for case in first)


def test_no_seed_decides_a_case() -> None:
    """Its number and the unit alone do; every sixteenth is warm, as of every profile."""
    drawn = [numbered(1, index, ("exhaustive",)) for index in range(64)]
    assert drawn == [numbered(2, index, ("exhaustive",)) for index in range(64)]
    assert [not case.cold for case, _ in drawn] == ([True] + [False] * 15) * 4
    assert {profile for _, profile in drawn} == {"exhaustive"}


def _last_of_three(table: Any, ids: list[int]) -> None:
    clear(table, ids[:2])


def _descending(table: Any, ids: list[int]) -> None:
    clear(table, [block for at, block in enumerate(ids) if not at or block >= ids[at - 1]])


def _repeats(table: Any, ids: list[int]) -> None:
    clear(table, [block for block in ids if ids.count(block) == 1])


def _one_base_once(table: Any, ids: list[int]) -> None:
    bases = table.base.tolist()
    _with(table, ids, lambda at, page: page if bases.index(bases[at]) == at else 0)


def _inside_the_first(table: Any, ids: list[int]) -> None:
    base, page = table.base.tolist(), table.page.tolist()
    _with(table, ids, lambda at, size: 0 if at and base[0] < base[at] < base[0] + page[0] else size)


def _around_the_first(table: Any, ids: list[int]) -> None:
    base, page = table.base.tolist(), table.page.tolist()
    _with(table, ids, lambda at, size: base[0] - base[at] if at and base[at] < base[0] < base[at] + page[at] else size)


def _tail_of_a_word(table: Any, ids: list[int]) -> None:
    _with(table, ids, lambda _, page: page - 4 if page % 16 == 4 else page)


def _one_chunk(table: Any, ids: list[int]) -> None:
    _with(table, ids, lambda _, page: min(page, 4096))


def _as_wide_as_the_stride(table: Any, ids: list[int]) -> None:
    _with(table, ids, lambda at, page: int(table.stride[at]) if page < 16 else page)


def _wide_stores(table: Any, ids: list[int]) -> None:
    clear(table, ids)
    for base in table.base.tolist():
        if ids and base % 16 == 8:
            ctypes.memset(base - 8, 0, 8)


def _untold_is_one(table: Any, ids: list[int]) -> None:
    clear(table, [block for block in ids if block < (table.blocks or 1)])


def _with(table: Any, ids: list[int], page: Callable[[int, int], int]) -> None:
    """Clear other pages than the table's, by segment and page."""
    columns = zip(table.base.tolist(), table.stride.tolist(), table.page.tolist(), strict=True)
    for at, (base, stride, size) in enumerate(columns):
        for block in ids:
            ctypes.memset(base + block * stride, 0, page(at, size))


@pytest.mark.parametrize(
    ("fault", "label"),
    [
        (_last_of_three, "stale:whole page"),
        (_descending, "stale:whole page"),
        (_repeats, "stale:whole page"),
        (_one_base_once, "stale:tail"),
        (_inside_the_first, "stale:tail"),
        (_around_the_first, "stale:tail"),
        (_tail_of_a_word, "stale:tail"),
        (_one_chunk, "stale:tail"),
        (_as_wide_as_the_stride, "clobbered:padding"),
        (_wide_stores, "clobbered:guard"),
        (_untold_is_one, "stale:whole page"),
    ],
)
def test_a_planted_fault_is_found(fault: Callable, label: str) -> None:
    """Each is wrong for one edge, order or placement alone, and the first few thousand cases show it."""
    assert label in _labels(fault, range(NUMBERS))


def test_a_right_target_passes() -> None:
    """What is found on faulty targets is not found on one that does as it should."""
    assert _labels(clear, range(0, exhaustive.size(4), 101)) == {"passed"}


def _labels(target: Callable, numbers: range) -> set[str]:
    def zeroer(table: Any, _device: Any) -> Callable:
        return lambda ids: target(table, ids)

    engine = FakeEngine()
    arena = arena_of(engine)
    one = Target("planted", zeroer, Limits())
    cases = (numbered(0, index, ("exhaustive",))[0] for index in numbers)
    return {run_case(case, one, engine, arena, patience=1.0, on_launch=lambda _: None).label() for case in cases}


def test_it_takes_no_turns_and_needs_tables() -> None:
    """Beside another profile, or on a target that takes layouts, it is refused with a way out."""
    with pytest.raises(UsageError, match=r"profile='exhaustive': runs to its end .*; run it without small, far"):
        fitting(("small", "exhaustive", "far"), {})
    with pytest.raises(UsageError, match=r"run it without small$"):
        fitting(("exhaustive", "small"), {})
    with pytest.raises(UsageError, match=r"target planner takes a layout; its profiles are layout$"):
        fitting(("exhaustive",), {"planner": "layout"})
    assert fitting(("exhaustive",), {"masked_grid": "table"}) == ("exhaustive",)
    assert NAMES[-1] == "exhaustive"


def test_only_an_enumeration_is_bounded() -> None:
    """Drawn profiles have no end."""
    assert bound(("exhaustive",), 4) == exhaustive.size(4)
    assert bound(("small", "launch"), 4) is None


def test_a_run_that_tried_all_is_exhausted() -> None:
    """A smaller count of cases ends it as cases, an equal one as exhausted."""
    for asked, reason, attempts in [(None, "exhausted", 100), (100, "exhausted", 100), (99, "cases", 99)]:
        control = Control(None, asked, stop_on_find=False)
        control.end_at(100)
        assert control.stop_reason(attempts - 1, 0) is None
        assert control.stop_reason(attempts, 0) == reason
    control = Control(None, 500, stop_on_find=False)
    control.end_at(100)
    assert control.stop_reason(100, 0) == "exhausted"


def test_the_report_says_how_far_it_came() -> None:
    """Cases that were tried on all targets, of how many; other runs say nothing of it."""
    report = Report(0, whole=Whole(50, 2))
    report.add({"passed": 41}, {})
    assert '"exhaustive": {\n    "size": 50,\n    "done": 20\n  }' in as_json(report)
    assert "exhaustive: 20 of 50 cases tried" in ending(report)
    assert "exhaustive" not in as_json(Report(0)) + ending(Report(0))
