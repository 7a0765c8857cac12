"""The exact minimum of each find, proved by hand, from several starts.

Every proof counts in the order of ``fuzz.simplicity.order``: segments, calls, ids, blocks, pages, strides,
bases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from fuzz.build import build
from fuzz.built_in import GENERATIONS
from fuzz.case import Call, Case, Segment
from fuzz.checking import Checker
from fuzz.ids import Ids
from fuzz.profiles.parts import guarded
from fuzz.shrink import shrink
from fuzz.source import Recorder
from fuzz.verdict import Verdict

STARTS = {"small": 10, "launch": 3}
"""By profile: half a million ids take seconds to shrink."""

NARROW = Segment(0, 1, 4, 4)


def _case(*segments: Segment, ids: str = "0") -> Case:
    return guarded(Case(schema=1, domain="contract", guard=0, segments=segments, calls=(Call("zero", Ids.parse(ids)),)))


def _padded(case: Case) -> bool:
    return any(s.stride > s.page for s in case.segments)


def _short(case: Case) -> bool:
    return any(s.stride < s.page for s in case.segments)


def _segments(case: Case) -> int:
    return sum(s.times for s in case.segments)


def _ids(case: Case) -> int:
    return sum(len(call.ids) for call in case.calls)


def _many(case: Case) -> bool:
    return _segments(case) * _ids(case) > 2**20


SMALLEST = {
    # A page narrower than its stride; the least is one element in two, and one block has padding too.
    ("page_table", "small", "clobbered:padding"): (_padded, _case(Segment(0, 1, 4, 8))),
    ("page_buckets", "small", "clobbered:padding"): (_padded, _case(Segment(0, 1, 4, 8))),
    # A stride below its page, which only a lone block may have.
    ("page_table", "small", "stale:tail"): (_short, _case(Segment(0, 1, 8, 4))),
    # Two strides; no call is needed, since the constructor refuses. The wider stride stands last,
    # because bases count after strides.
    ("uniform_page", "small", "rejected:constructor"): (
        lambda case: len(case.segments) > 1,
        _case(NARROW, Segment(4, 1, 4, 8), ids=""),
    ),
    # One segment of p elements, p odd, gives n*p programs for n ids. The widest page drawn is 131,071
    # elements; 16,384 of it are below 2^31, so n = 16,385, and then 131,065 is the least odd p.
    ("page_table", "launch", "rejected:launch-x"): (_many, _case(Segment(0, 1, 524_260, 524_260), ids="0*16385")),
    ("block_stride", "launch", "rejected:launch-x"): (_many, _case(Segment(0, 1, 524_260, 524_260), ids="0*16385")),
    ("uniform_page", "launch", "rejected:launch-x"): (_many, _case(Segment(0, 1, 524_260, 524_260), ids="0*16385")),
    # z holds 65,535 ids, y as many segments.
    ("ids_on_z", "launch", "rejected:launch-z"): (lambda case: _ids(case) > 65_535, _case(NARROW, ids="0*65536")),
    ("ids_on_z", "launch", "rejected:launch-y"): (
        lambda case: _segments(case) > 65_535,
        _case(Segment(0, 1, 4, 4, 65_536)),
    ),
    ("masked_grid", "launch", "rejected:launch-y"): (
        lambda case: _segments(case) > 65_535,
        _case(Segment(0, 1, 4, 4, 65_536)),
    ),
    # 2^19 ids at most, 128 chunks at most and s segments reach a product of 2^31 at s = 32; then all
    # ids are needed, and 127 chunks of 1,024 elements and one element more.
    ("masked_grid", "launch", "skipped:product"): (
        _many,
        _case(Segment(0, 1, 520_196, 520_196, 32), ids="0*524288"),
    ),
}
"""Which cases can show a find at all, so that starts are found quickly, and the find's minimum."""


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    """One worker with all generations."""
    one = Checker(tuple(GENERATIONS), "simulator")
    yield one
    one.close()


def _ignored(case: Case, verdict: Verdict) -> None:
    """Finds of other buckets, met on the way."""


def _starts(
    checker: Checker, target: str, profile: str, label: str, can_show: Callable[[Case], bool]
) -> Iterator[Case]:
    found = 0
    for seed in range(4000):
        case = build(Recorder(seed), profile)
        if found < STARTS[profile] and can_show(case) and checker.attempt(case, target).label() == label:
            found += 1
            yield case


@pytest.mark.parametrize(("target", "profile", "label"), SMALLEST, ids=lambda value: value.replace(":", "-"))
def test_every_start_ends_at_the_proved_minimum(checker: Checker, target: str, profile: str, label: str) -> None:
    """All finds of a bucket shrink to one case, the one that was proved by hand."""
    attempt: Callable[..., object] = lambda case, *, rehearse=False: checker._crew.attempt(  # noqa: E731
        case, target, rehearse=rehearse
    )
    reached = []
    can_show, smallest = SMALLEST[target, profile, label]
    for case in _starts(checker, target, profile, label, can_show):
        bucket = checker.attempt(case, target).bucket(target, "h200")
        reached.append(shrink(case, bucket, attempt, profile=profile, unit=4, seconds=60, on_other=_ignored).case)
    assert reached == [smallest] * STARTS[profile]
