"""Features: every class from either side, and nothing but what the case looks like."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest
from msgspec.structs import replace

from fuzz.build import build, numbered
from fuzz.case import Call, Case, Segment
from fuzz.features import features, in_words
from fuzz.ids import Ids
from fuzz.profiles import BY_NAME
from fuzz.source import Recorder


@dataclass
class Grid:
    """As much of a launch as is looked at."""

    grid: tuple[int, ...]
    compile_key: str | None = None


def _case(*segments: Segment, ids: str = "0", **more: Any) -> Case:
    calls = (Call("zero", Ids.parse(ids)),)
    return Case(**{"schema": 1, "domain": "contract", "guard": 256, "segments": segments, "calls": calls, **more})


def _of(case: Case, name: str, launches: tuple[Grid, ...] = ()) -> set:
    return {value for found, value in features(case, launches) if found == name}


def _one(page: int, stride: int = 0, base: int = 0, blocks: int = 1, ids: str = "0") -> Case:
    return _case(Segment(base, blocks, page, stride or page), ids=ids)


@pytest.mark.parametrize(
    ("name", "page", "value"),
    [
        ("page%4", 8, 0), ("page%4", 9, 1), ("page%4", 11, 3),
        ("page%16", 16, 0), ("page%16", 20, 1), ("page%16", 21, 2), ("page%16", 31, 4),
        ("page%128", 128, 0), ("page%128", 129, 1), ("page%128", 144, 1), ("page%128", 145, 2), ("page%128", 255, 8),
        ("page~", 64, "2^6"), ("page~", 68, "2^6+"), ("page~", 69, "2^6.."), ("page~", 65, "2^6+"),
        ("page~", 63, "2^6-"), ("page~", 60, "2^6-"), ("page~", 59, "2^5.."), ("page~", 1, "2^0"),
        ("page~", 12, "2^3+"),
    ],
)  # fmt: skip
def test_a_page_by_remainders_and_powers(name: str, page: int, value: object) -> None:
    """Exact multiples and powers stand apart from their neighbours on both sides."""
    assert _of(_one(page), name) == {value}


@pytest.mark.parametrize(
    ("page", "stride", "value"),
    [
        (64, 63, "short"), (64, 64, "packed"), (64, 65, "padded little"), (64, 191, "padded little"),
        (64, 192, "padded much"), (64, 65_535, "padded much"), (64, 65_536, "huge"), (65_536, 65_536, "packed"),
    ],
)  # fmt: skip
def test_a_stride_by_its_padding(page: int, stride: int, value: str) -> None:
    """Short, packed, padded by less than a cache line or by more, or wider than a guard zone gets."""
    assert _of(_one(page, stride), "stride") == {value}


@pytest.mark.parametrize(
    ("base", "aligned", "place"),
    [
        (0, 512, "0"), (4, 4, "<2^31"), (6, 2, "<2^31"), (7, 1, "<2^31"), (256, 256, "<2^31"), (1024, 512, "<2^31"),
        (-8, 8, "negative"), (2**31 - 1, 1, "<2^31"), (2**31, 512, "<2^32"), (2**32, 512, "<2^33"),
        (2**33 - 4, 4, "<2^33"), (2**33, 512, ">=2^33"),
    ],
)  # fmt: skip
def test_a_base_by_alignment_and_place(base: int, aligned: int, place: str) -> None:
    """Alignment up to the arena's own, and the side of 31, 32 and 33 bits."""
    case = _one(4, base=base)
    assert _of(case, "base%") == {aligned}
    assert _of(case, "base") == {place}


@pytest.mark.parametrize(
    ("stride", "block", "value"),
    [
        (2**31 - 4, 0, "<2^31"), (2**30, 1, "<2^31"), (2**31 - 8, 1, "<2^31"), (2**31 - 4, 1, "<2^32"),
        (2**32 - 8, 1, "<2^32"), (2**32 - 4, 1, "<2^33"), (2**33 - 8, 1, "<2^33"), (2**33 - 4, 1, ">=2^33"),
    ],
)  # fmt: skip
def test_an_offset_by_the_bits_that_hold_it(stride: int, block: int, value: str) -> None:
    """The end of the last targeted page, from its segment's base; untargeted blocks do not count."""
    assert _of(_one(4, stride, blocks=3, ids=str(block)), "offset") == {value}
    assert _of(_one(4, stride, blocks=3, ids=str(block)), "arena") == {value}
    assert _of(_one(4, stride, blocks=3, ids=""), "offset") == set()


@pytest.mark.parametrize(
    ("ids", "values"),
    [
        ("", {"empty"}),
        ("2", {"single"}),
        ("0", {"single", "first"}),
        ("7", {"single", "last"}),
        ("1,3", {"ascending"}),
        ("1-3", {"ascending", "dense"}),
        ("3,1", {"descending"}),
        ("3-1", {"descending", "dense"}),
        ("2,1,3", {"random", "dense"}),
        ("1,5,3", {"random"}),
        ("2*3", {"repeats"}),
        ("2,2", {"repeats"}),
        ("1,1,2", {"repeats", "ascending", "dense"}),
        ("1-3,3-1", {"repeats", "random", "dense"}),
        ("1-3,5-6", {"ascending"}),
        ("4-6,1-2", {"random"}),
        ("0-7", {"ascending", "dense", "first", "last"}),
        ("1-6", {"ascending", "dense"}),
        ("1-6,2-3", {"repeats", "random", "dense"}),
        ("0-7,2-3", {"repeats", "random", "dense", "first", "last"}),
    ],
)
def test_a_list_of_ids_by_its_pattern(ids: str, values: set[str]) -> None:
    """Direction, gaps, repeats and whether the first and the last of eight blocks are among them."""
    assert _of(_one(4, blocks=8, ids=ids), "pattern") == values


def test_ids_out_of_bounds_are_told() -> None:
    """Below zero and past the last block alike; what is no integer shows its type."""
    for ids in ("-1", "8"):
        assert _of(_case(Segment(0, 8, 4, 4), ids=ids, domain="hostile"), "pattern") == {"single", "outside"}
    raw = _case(Segment(0, 8, 4, 4), domain="hostile", calls=(Call("zero", raw=(None, 0.5, True)),))
    assert _of(raw, "raw") == {"NoneType", "float", "bool"}


@pytest.mark.parametrize(
    ("second", "value"),
    [
        (0, "one base"), (4, "overlapping"), (7, "overlapping"), (8, "interleaved"), (63, "interleaved"),
        (64, "touching"), (65, "apart"),
    ],
)  # fmt: skip
def test_two_segments_by_their_packing(second: int, value: str) -> None:
    """Four pages of 8 bytes, 16 apart, and another segment; the table's order shows where bases differ."""
    low, high = Segment(0, 4, 8, 16), Segment(second, 4, 4, 4)
    assert _of(_case(low, high), "packing") == {value}
    assert _of(_case(high, low), "packing") == {f"{value}, higher first" if second else value}


def test_equal_segments_lie_on_one_base() -> None:
    """A count of times says the same as the segments written out; one segment has no packing."""
    assert _of(_case(Segment(0, 1, 4, 4, times=2)), "packing") == {"one base"}
    assert features(_case(Segment(0, 1, 4, 4, times=2))) == features(_case(*[Segment(0, 1, 4, 4)] * 2))
    assert _of(_case(Segment(0, 1, 4, 4)), "packing") == set()


@pytest.mark.parametrize(("count", "value"), [(1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (8, 4), (2**17, 18)])
def test_counts_by_powers_of_two(count: int, value: int) -> None:
    """Segments, ids and blocks: each from a power of two to the next."""
    assert _of(_case(Segment(0, 1, 4, 4, times=count)), "segments") == {value}
    assert _of(_case(Segment(0, count, 4, 4), ids=f"0*{count}" if count > 1 else "0"), "ids") == {value}
    assert _of(_case(Segment(0, count, 4, 4)), "blocks") == {value}


@pytest.mark.parametrize(
    ("grid", "bits", "product"),
    [
        ((1,), [1], "<2^31"),
        ((255, 256, 1), [8, 9, 1], "<2^31"),
        ((2**31 - 1,), [31], "<2^31"),
        ((2**16, 2**15, 1), [17, 16, 1], "negative in 32 bits"),
        ((2**16, 2**16, 1), [17, 17, 1], "0 in 32 bits"),
        ((2**16, 2**16 - 1, 1), [17, 16, 1], "negative in 32 bits"),
        ((2**16, 2**16 + 1, 1), [17, 17, 1], "small in 32 bits"),
        ((2**16, 2**16 + 2**15, 1), [17, 17, 1], "negative in 32 bits"),
    ],
)
def test_a_launch_by_its_grid(grid: tuple[int, ...], bits: list[int], product: str) -> None:
    """Each axis by powers of two, the product by what a launcher's 32 bits make of it."""
    found = features(_one(4), (Grid(grid),))
    assert {(f"grid {axis}", size) for axis, size in zip("xyz", bits, strict=False)} <= found
    assert ("product", product) in found
    assert {name for name, _ in found} - {name for name, _ in features(_one(4))} == {
        "product", *(f"grid {axis}" for axis, _ in zip("xyz", grid, strict=False))
    }  # fmt: skip


def test_ids_times_segments_is_a_product_as_well() -> None:
    """Known without a launch: what any grid of one program for each id and segment comes to."""
    for ids, value in [(2**14 - 1, "<2^31"), (2**14, "negative in 32 bits"), (2**15, "0 in 32 bits")]:
        assert _of(_case(Segment(0, 1, 4, 4, times=2**17), ids=f"0*{ids}"), "ids times segments") == {value}


def test_each_compile_key_is_a_feature() -> None:
    """Two variants show as two; a launch without one, as in the interpreter, shows none."""
    launches = (Grid((1,), "a"), Grid((1,), "b"), Grid((1,), "a"), Grid((1,)))
    assert _of(_one(4), "compile key", launches) == {"a", "b"}
    assert _of(_one(4), "compile key", (Grid((1,)),)) == set()


def test_flags_of_a_case() -> None:
    """Domain, calls, whether blocks are told, whether the warm-up is run, what is in flight together."""
    case = _one(4)
    assert {("domain", "contract"), ("calls", 1), ("blocks told", 1), ("warm", 1), ("cache", "segments")} <= features(
        case
    )
    other = replace(case, domain="hostile", calls=case.calls * 2, blocks_known=False, cold=True)
    assert {("domain", "hostile"), ("calls", 2), ("blocks told", 0), ("warm", 0)} <= features(other)
    flown = replace(case, calls=(replace(case.calls[0], stream=2), Call("write", Ids.parse("0"))))
    assert {("flight", "zero"), ("flight", "write"), ("stream", 2), ("stream", 0)} <= features(flown)
    assert _of(case, "flight") == set()


def test_a_layout_shows_what_it_is_made_of() -> None:
    """Orders, specs, dtypes and kinds of its pools and layers, and the pages that follow from them."""
    for seed in range(50):
        case = build(Recorder(seed), "layout")
        assert _of(case, "order") == {pool.order for pool in case.pools}
        for name in ("spec", "dtype", "kind", "ratio"):
            assert _of(case, name) == {getattr(layer, name) for layer in case.layers}
        assert _of(case, "page%4") == {layer.page % 4 for layer in case.layers}
        assert _of(case, "cache") == {"layers"}


def test_a_sequence_shows_what_its_cases_show() -> None:
    """Every feature of each member."""
    members = tuple(numbered(0, index, ("small",))[0] for index in range(2))
    found = features(replace(_one(4), segments=(), sequence=members))
    assert features(members[0]) | features(members[1]) <= found
    assert ("cache", "sequence") in found


def test_a_base_moved_by_512_keeps_all_but_its_own() -> None:
    """Pages, strides, ids and the rest stay; what may change is said of bases and of how they lie."""
    for index in range(300):
        case, _ = numbered(3, index, ("small",))
        *others, last = case.segments
        moved = replace(case, segments=(*others, replace(last, base=last.base + 512)))
        changed = {name for name, _ in features(case) ^ features(moved)}
        assert changed <= {"base", "packing"}
    apart = _case(Segment(0, 1, 8, 8), Segment(8, 1, 4, 4))
    moved = replace(apart, segments=(apart.segments[0], replace(apart.segments[1], base=520)))
    assert features(apart) ^ features(moved) == {("packing", "touching"), ("packing", "apart")}


@pytest.mark.parametrize("profile", BY_NAME)
def test_equal_cases_have_equal_features(profile: str) -> None:
    """Drawn twice, a case has the same features; titles and finds are none; they sort and read in one line."""
    for index in range(100):
        case, again = (numbered(5, index, (profile,))[0] for _ in range(2))
        found = features(case)
        assert found == features(again) == features(replace(case, title="t", finds={"masked_grid@h200": "hung"}))
        assert in_words(found).count("=") >= len({name for name, _ in found})
        assert "\n" not in in_words(found)


def test_features_do_not_depend_on_the_process() -> None:
    """Another hash seed, the same words; neither torch nor triton is imported for them."""
    code = (
        "import sys; from fuzz.build import numbered; from fuzz.features import features, in_words; "
        "print([in_words(features(numbered(1, n, ('small', 'far'))[0])) for n in range(20)]); "
        "assert not {'torch', 'triton'} & set(sys.modules)"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(texts) == 1
    assert in_words(features(numbered(1, 0, ("small", "far"))[0])) in texts.pop()
