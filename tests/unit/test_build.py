"""Sources, build and trace."""

from __future__ import annotations

import numpy as np
import pytest

from fuzz.bench.case_set import case_set, means, targeted
from fuzz.build import build, numbered, trace
from fuzz.case import Call, Case, Segment
from fuzz.errors import EngineError
from fuzz.ids import Ids
from fuzz.layout import total
from fuzz.profiles import BY_NAME
from fuzz.profiles.vast import is_vast
from fuzz.rules import broken_rule
from fuzz.source import Choices, Recorder


@pytest.mark.parametrize("unit", [16, 4, 2, 1])
@pytest.mark.parametrize("profile", BY_NAME)
def test_trace_is_the_inverse_of_build(profile: str, unit: int) -> None:
    """The choices that a trace finds make build draw the same case."""
    for seed in range(500):
        case = build(Recorder(seed), profile, unit)
        assert build(Choices(trace(case, profile, unit)), profile, unit) == case


@pytest.mark.parametrize("unit", [4, 1])
@pytest.mark.parametrize("profile", BY_NAME)
def test_every_drawn_case_is_legal(profile: str, unit: int) -> None:
    """No profile draws a case that breaks a rule of its domain."""
    assert [broken_rule(build(Recorder(seed), profile, unit)) for seed in range(1000)] == [None] * 1000


@pytest.mark.parametrize("profile", ["small", "launch", "far"])
def test_sizes_keep_the_unit(profile: str) -> None:
    """A contract case for a target of four bytes has no size that is no multiple of four."""
    for seed in range(500):
        case = build(Recorder(seed), profile, 4)
        assert not any(s.base % 4 or s.page % 4 or s.stride % 4 for s in case.segments)


def test_a_target_of_one_byte_gets_odd_sizes() -> None:
    """With unit 1 some pages are odd."""
    assert any(s.page % 2 for seed in range(100) for s in build(Recorder(seed), "small", 1).segments)


def test_a_case_is_decided_by_seed_and_index() -> None:
    """The same seed and index draw the same case; profiles take turns by index."""
    profiles = ("small", "launch", "far")
    assert numbered(7, 11, profiles) == numbered(7, 11, profiles)
    assert numbered(7, 11, profiles) != numbered(8, 11, profiles)
    assert [numbered(0, index, profiles)[1] for index in range(4)] == ["small", "launch", "far", "small"]


def test_one_far_case_in_sixteen_is_a_cache_of_gigabytes() -> None:
    """Its blocks lie past 2^32 bytes, alone or inside another segment's stride, and some are cleared there."""
    cases = [build(Recorder(seed), "far") for seed in range(2000)]
    vast = [case for case in cases if is_vast(case)]
    assert 0.04 < len(vast) / len(cases) < 0.09
    assert all(s.length > 2**32 for case in vast for s in case.segments)
    assert np.mean([case.end > 2**31 for case in vast]) > 0.9
    assert np.mean([case.end > 2**32 for case in vast]) > 0.6
    assert any(0 < s.base < case.segments[0].stride for case in vast for s in case.segments)


def test_nothing_is_drawn_where_there_is_no_choice() -> None:
    """A range of one value uses up nothing: what is drawn after it is what is drawn without it."""
    source, other = Recorder(0), Recorder(0)
    assert [source.integer(5, 5), source.repeat(9, 9)] == [5, 9]
    assert [source.integer(0, 2**40) for _ in range(9)] == [other.integer(0, 2**40) for _ in range(9)]


def test_draws_stay_in_range_and_reach_both_ends() -> None:
    """Boundary values never leave the range, and the ends come up."""
    source = Recorder(0)
    for low, high in [(0, 1), (1, 17), (0, 2**17), (3, 2**40)]:
        drawn = {source.integer(low, high) for _ in range(3000)} | {source.repeat(low, high) for _ in range(3000)}
        assert (min(drawn), max(drawn)) == (low, high)


def _targeted(case: Case) -> int:
    image = np.zeros(case.end, bool)
    for call in case.calls:
        for block in call.ids.distinct().tolist():
            for s in case.segments:
                image[s.base + block * s.stride :][: s.page] = True
    return int(image.sum())


def test_the_fixed_case_set_is_no_straw_man() -> None:
    """The first 200 cases of profile small, seed 0: mean size, segments, ids and share of targeted bytes."""
    cases = case_set(200)
    assert cases == [numbered(0, index, ("small",))[0] for index in range(200)]
    assert [targeted(case) for case in cases] == [_targeted(case) for case in cases]
    found = means(cases)
    assert found["bytes"] == round(np.mean([total(case) for case in cases])) >= 100_000
    assert found["segments"] >= 4
    assert found["ids"] >= 8
    assert found["targeted"] >= 0.35


@pytest.mark.parametrize(
    ("light", "segments", "blocks", "page", "stride"),
    [
        ("bytes", 4, 16, 64, 64),
        ("segments", 3, 64, 8192, 8192),
        ("ids", 4, 7, 8192, 8192),
        ("targeted", 4, 16, 64, 8192),
    ],
)
def test_a_light_case_set_is_refused(light: str, segments: int, blocks: int, page: int, stride: int) -> None:
    """Each of the four weights is looked at: a set that lacks one alone is named by it."""
    table = tuple(Segment(index * blocks * stride, blocks, page, stride) for index in range(segments))
    call = Call("zero", Ids.parse(f"0-{blocks - 1}"))
    case = Case(schema=1, domain="contract", guard=0, segments=table, calls=(call,))
    with pytest.raises(EngineError, match=f"their mean of {light} is"):
        means([case] * 3)


def test_profile_small_reaches_its_corners() -> None:
    """24 segments, 48 ids, 3 calls of equal length, 64 blocks, pages of 4 B to 8 KB, strides of 4 pages."""
    cases = [build(Recorder(seed), "small") for seed in range(6000)]
    segments = [s for case in cases for s in case.segments]
    assert max(len(case.segments) for case in cases) >= 24
    assert max(len(call.ids) for case in cases for call in case.calls) >= 48
    assert any(len({len(call.ids) for call in case.calls}) == 1 for case in cases if len(case.calls) == 3)
    assert max(s.blocks for s in segments) == 64
    assert (min(s.page for s in segments), max(s.page for s in segments)) == (4, 8192)
    assert any(s.stride == 4 * s.page for s in segments)
    assert 0.08 < np.mean([not case.blocks_known for case in cases]) < 0.17


def test_profile_small_lays_pages_of_one_stride_inside_each_other() -> None:
    """As layers of one slab are; whoever joins such segments must take the farther end, not the later one."""
    cases = [build(Recorder(seed), "small") for seed in range(600)]

    def inside(first: Segment, second: Segment) -> bool:
        within = first.base < second.base and second.base + second.page < first.base + first.page
        return within and first.stride == second.stride

    assert sum(any(map(inside, case.segments, case.segments[1:])) for case in cases) >= 6


@pytest.mark.parametrize("profiles", [("small",), ("small", "launch"), ("small", "launch", "far")])
def test_one_case_in_sixteen_of_each_profile_is_warm(profiles: tuple[str, ...]) -> None:
    """By its number, the first among them; cases alternate no matter how many profiles take turns."""
    drawn = [numbered(2, index, profiles) for index in range(32 * len(profiles))]
    for name in profiles:
        warm = [not case.cold for case, profile in drawn if profile == name]
        assert warm == ([True] + [False] * 15) * 2
