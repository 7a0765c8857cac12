"""The oracle of layouts, held against NumPy written out element by element."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fuzz.build import build
from fuzz.case import Case
from fuzz.codec import decode, encode
from fuzz.errors import CaseError
from fuzz.layers import ITEM
from fuzz.layout import effects_of, inside, lead, total, victim, views_of
from fuzz.source import Recorder
from oracles import pages
from oracles.layouts import View, effects


def _cases(count: int) -> list[Case]:
    return [build(Recorder(seed), "layout") for seed in range(count)]


def _mask(intervals: np.ndarray, size: int) -> np.ndarray:
    mask = np.zeros(size, bool)
    for start, stop in intervals.tolist():
        mask[start:stop] = True
    return mask


def test_must_is_every_element_of_a_cleared_block_and_nothing_else() -> None:
    """Each element's bytes are found one by one, from its indices."""
    for case in _cases(60):
        ids = case.calls[0].ids.distinct()
        expected = np.zeros(total(case), bool)
        for place in case.placed.places:
            if not place.layer.cleared:
                continue
            for index in np.ndindex(place.shape):
                if index[place.block_dim] // place.layer.ratio in ids:
                    at = lead(case) + place.offset + sum(i * s for i, s in zip(index, place.strides, strict=True))
                    expected[at : at + ITEM[place.layer.dtype]] = True
        assert (_mask(effects_of(case, ids).must, total(case)) == expected).all()


def test_layers_of_different_slots_share_no_byte() -> None:
    """Only overlays do; and every element lies between the guard zones."""
    for case in _cases(200):
        used = np.zeros(total(case), np.int8)
        for place, view in zip(case.placed.places, views_of(case), strict=True):
            bytes_of = np.ndarray(
                (*view.shape, view.item), bool, buffer=(mine := np.zeros(total(case), bool)).data,
                offset=view.offset, strides=(*view.strides, 1),
            )  # fmt: skip
            bytes_of[...] = True
            if not place.layer.overlay:
                used += mine
            assert not mine[: inside(case).start].any()
            assert not mine[inside(case).stop :].any()
        assert used.max() == 1


def test_may_is_what_the_block_owns_within_its_span() -> None:
    """Two heads, two layers between: the other layer's bytes of that block, up to the last element."""
    view = View(0, (2, 2, 4), (32, 16, 1), 1, 0, 1, cleared=True, tiles=((0, 32),))
    found = effects([view], np.array([1]), 64)
    assert found.must.tolist() == [[32, 36], [48, 52]]
    assert found.may.tolist() == [[32, 52]]


@pytest.mark.parametrize(
    ("at", "value", "kind"), [(40, 0, None), (40, 9, "clobbered"), (33, 9, "wrong"), (53, 0, "clobbered")]
)
def test_a_byte_that_may_be_cleared_may_be_nothing_but_zero(at: int, value: int, kind: str | None) -> None:
    """Cleared or left is right; another value is damage, and so is a zero past the span."""
    view = View(0, (2, 2, 4), (32, 16, 1), 1, 0, 1, cleared=True, tiles=((0, 32),))
    found = effects([view], np.array([1]), 64)
    before = np.full(64, 7, np.uint8)
    after = before.copy()
    after[32:36] = after[48:52] = 0
    after[at] = value
    assert [region.kind for region in pages.compare(before, after, found)] == ([kind] if kind else [])


def test_whose_byte_it_is() -> None:
    """Padding inside a pool, another block of a layer, another layer of the pool, another pool, the guard."""
    case = decode("""{"schema": 1, "domain": "contract", "guard": 512, "num_blocks": 2,
        "calls": [{"op": "zero", "ids": "0"}],
        "pools": [{"order": "BLHNC", "align": 8}, {"order": "LBHNC"}],
        "layers": [
            {"pool": 0, "spec": "full", "dtype": "float32", "heads": 1, "tokens": 1, "content": 1},
            {"pool": 0, "spec": "mamba", "dtype": "float32", "heads": 1, "tokens": 1, "content": 2},
            {"pool": 1, "spec": "mamba", "dtype": "float32", "heads": 1, "tokens": 1, "content": 1}]}""")
    found = effects_of(case, np.array([0]))
    words = {at: victim(case, lead(case) + at, found) for at in (4, 8, 16, 32, 40, -1)}
    assert words == {
        4: "padding", 8: "other segment", 16: "other block", 32: "other storage", 40: "guard", -1: "guard",
    }  # fmt: skip


def test_a_layout_case_reads_back_as_it_was_written() -> None:
    """One layer and one pool a line."""
    for case in _cases(50):
        assert decode(encode(case)) == case
    assert all(f'"pool": {layer.pool}' in line for layer, line in zip(case.layers, _lines(case), strict=True))


def _lines(case: Case) -> list[str]:
    return [line for line in encode(case).splitlines() if '"dtype"' in line]


PLAIN = {
    "schema": 1, "domain": "contract", "guard": 512, "num_blocks": 4,
    "calls": [{"op": "zero", "ids": "0"}],
    "pools": [{"order": "LBHNC"}],
    "layers": [{"pool": 0, "spec": "full", "dtype": "float32", "heads": 1, "tokens": 1, "content": 1}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("home", "change", "words"),
    [
        ("", {"num_blocks": 0}, r"num_blocks=0: .* one block or more"),
        ("", {"domain": "hostile"}, r"domain='hostile': a case with layers is a contract case"),
        ("", {"segments": [{"base": 0, "blocks": 1, "page": 4, "stride": 4}]}, r"a case has one of them"),
        ("", {"layers": []}, r"segments, layers, sequence: a case has one of them"),
        ("calls", {"ids": "4"}, r"calls\[0\].ids=4: id 4 is past the last of 4 blocks"),
        ("calls", {"stream": 1}, r"calls: in a case with layers they are made one by one"),
        ("pools", {"order": "NCHW"}, r"Invalid enum value 'NCHW'"),
        ("pools", {"order": "BLHNC", "align": 6}, r"pools\[0\].align=6: must be a multiple of 4"),
        ("pools", {"gap": -4}, r"pools\[0\].gap=-4: must be 0 or more"),
        ("layers", {"pool": 1}, r"pools\[0\].order: no layer names this pool"),
        ("layers", {"overlay": True}, r"pools\[0\].order: its first layer has overlay"),
        ("layers", {"heads": 0}, r"layers\[0\].heads=0: must be 1 to"),
        ("layers", {"dtype": "uint8", "content": 3}, r"layers\[0\].content=3: 3 bytes; .* 4 elements of uint8"),
        ("layers", {"tokens": 65536, "heads": 300, "content": 300}, r"layers: they end at byte"),
    ],
)
def test_a_broken_layout_is_refused(home: str, change: dict, words: str) -> None:
    """The error names field, value and rule."""
    broken = json.loads(json.dumps(PLAIN))
    (broken[home][0] if home else broken).update(change)
    with pytest.raises(CaseError, match=words):
        decode(json.dumps(broken))


def test_layers_of_one_tile_share_their_ratio() -> None:
    """Where blocks lie outside of layers, kernel blocks of two sizes would not fit into one tile."""
    broken = json.loads(json.dumps(PLAIN))
    broken["pools"][0]["order"] = "BLHNC"
    broken["layers"].append(broken["layers"][0] | {"ratio": 2})
    with pytest.raises(CaseError, match=r"pools\[0\].order=BLHNC: blocks lie outside of layers"):
        decode(json.dumps(broken))
