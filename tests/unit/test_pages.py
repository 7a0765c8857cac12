"""The byte oracle, with every kind of damage planted."""

from __future__ import annotations

import numpy as np
import pytest

from fuzz.arena import poison
from oracles import pages, regions
from oracles.pages import Region, Segments


def _segments(*rows: tuple[int, int, int, int]) -> Segments:
    return Segments(*np.array(rows, np.int64).T)


def test_effects_are_the_pages_of_the_ids() -> None:
    """Block 1 and 3 of a segment at 10 with stride 8 and page 5 are four numbers each way."""
    found = pages.effects(_segments((10, 8, 5, 4)), np.array([3, 1]))
    assert found.pages.tolist() == [[18, 23], [34, 39]]
    assert found.must.tolist() == [[18, 23], [34, 39]]


def test_overlapping_pages_are_one_interval() -> None:
    """Segments may overlap: the bytes that must be zero are the union."""
    found = pages.effects(_segments((0, 8, 8, 2), (4, 8, 8, 1)), np.array([0]))
    assert found.pages.tolist() == [[0, 8], [4, 12]]
    assert found.must.tolist() == [[0, 12]]


def test_a_biased_base_is_ordinary_arithmetic() -> None:
    """A base far below the image counts in 64 bits."""
    block, stride = 2**31, 2**36 // 2**20
    found = pages.effects(_segments((16 - block * stride, stride, 4, block + 1)), np.array([block]))
    assert found.must.tolist() == [[16, 20]]


def test_no_ids_no_effects() -> None:
    """An empty call must write nothing."""
    found = pages.effects(_segments((0, 8, 8, 2)), np.empty(0, np.int64))
    before = poison(64)
    assert pages.compare(before, before.copy(), found) == []
    changed = before.copy()
    changed[3] = 0
    assert pages.compare(before, changed, found) == [Region(3, 4, "clobbered")]


def test_what_was_left_undone_is_what_a_comparison_finds() -> None:
    """Pages that touch and pages that overlap are one region each, in an image as it was."""
    found = pages.effects(_segments((0, 8, 8, 3), (30, 8, 6, 4), (33, 8, 8, 1)), np.array([2, 1, 0]))
    before = poison(64)
    assert pages.undone(found) == pages.compare(before, before.copy(), found) != []
    assert pages.compare(before, before.copy(), pages.NOTHING) == pages.undone(pages.NOTHING) == []


@pytest.fixture
def image() -> tuple[np.ndarray, np.ndarray, pages.Effects]:
    """Before, a right after, and the effects: two pages of 8 bytes in 64."""
    effects = pages.effects(_segments((8, 16, 8, 3)), np.array([0, 2]))
    before = poison(64)
    after = before.copy()
    after[8:16] = after[40:48] = 0
    return before, after, effects


def test_a_right_image_has_no_wrong_region(image: tuple) -> None:
    """Pages zero, all else as before."""
    before, after, effects = image
    assert pages.compare(before, after, effects) == []


@pytest.mark.parametrize("at", [0, 7, 16, 39, 48, 63])
def test_one_stray_byte_is_found_anywhere(image: tuple, at: int) -> None:
    """The byte before, behind and between pages."""
    before, after, effects = image
    after[at] = 0
    assert pages.compare(before, after, effects) == [Region(at, at + 1, "clobbered")]


@pytest.mark.parametrize("at", [8, 11, 15, 40, 47])
def test_one_stale_byte_is_found_anywhere(image: tuple, at: int) -> None:
    """A byte with its poison still in a page."""
    before, after, effects = image
    after[at] = before[at]
    assert pages.compare(before, after, effects) == [Region(at, at + 1, "stale")]


def test_one_wrong_byte_is_told_from_a_stale_one(image: tuple) -> None:
    """A byte that was written, but not with zero."""
    before, after, effects = image
    after[9] = before[9] % 255 + 1
    assert pages.compare(before, after, effects) == [Region(9, 10, "wrong")]


def test_neighbouring_regions_of_two_kinds_stay_apart(image: tuple) -> None:
    """A tail that is stale and padding that is cleared are two regions."""
    before, after, effects = image
    after[14:16] = before[14:16]
    after[16:20] = 0
    assert pages.compare(before, after, effects) == [Region(14, 16, "stale"), Region(16, 20, "clobbered")]


@pytest.mark.parametrize("size", [64, 60, 62, 63])
def test_the_short_answer_is_the_long_one(size: int) -> None:
    """is_right says yes to exactly the images in which compare finds nothing, one wrong byte anywhere."""
    segments = _segments((8, 16, 8, 3), (20, 5, 3, 2))
    effects = pages.effects(segments, np.array([0, 2]))
    rows = [(8, 16, 8), (20, 5, 3)]
    before = poison(64)[:size]
    right = before.copy()
    for start, stop in effects.must.tolist():
        right[start:stop] = 0
    assert pages.is_right(before, right, rows, [(0, 0), (2, 2)])
    assert pages.compare(before, right, effects) == []
    for at in range(size):
        for value in (0, 1, before[at]):
            image = right.copy()
            image[at] = value
            same = pages.compare(before, image, effects) == []
            assert pages.is_right(before, image, rows, [(0, 0), (2, 2)]) == same


def test_pages_across_a_slice_boundary_are_compared_whole() -> None:
    """A large image is compared in slices; a page over the seam, and a byte just behind it, count."""
    seam = pages.SLICE
    effects = pages.effects(_segments((seam - 8, 64, 16, 1), (16, 8, 8, 1), (seam + 100, 4, 4, 1)), np.array([0]))
    before = poison(seam + 256)
    after = before.copy()
    after[16:24] = after[seam - 8 : seam + 8] = after[seam + 100 : seam + 104] = 0
    assert pages.compare(before, after, effects) == []
    stale = after.copy()
    stale[seam - 8 : seam + 8] = before[seam - 8 : seam + 8]
    assert pages.compare(before, stale, effects) == [Region(seam - 8, seam + 8, "stale")]
    after[seam + 7] = before[seam + 7]
    after[seam + 8] = 0
    after[seam + 104] = 0
    assert pages.compare(before, after, effects) == [
        Region(seam + 7, seam + 8, "stale"),
        Region(seam + 8, seam + 9, "clobbered"),
        Region(seam + 104, seam + 105, "clobbered"),
    ]


def test_poison_is_never_zero_and_tells_positions_apart() -> None:
    """No byte of it reads as cleared, and a page moved by any usual stride differs."""
    image = poison(2**20)
    assert image.min() == 1
    assert image.max() == 255
    for shift in (1, 2, 4, 16, 64, 512, 1024, 1168, 4096, 8192, 65_536):
        assert np.mean(image[shift:] == image[:-shift]) < 0.05


@pytest.mark.parametrize(
    ("stale", "part"),
    [((8, 16), "whole page"), ((8, 10), "head"), ((15, 16), "tail"), ((10, 12), "body")],
)
def test_the_part_of_a_page(stale: tuple[int, int], part: str) -> None:
    """Decided by the span from the first wrong byte of the page to its last."""
    effects = pages.effects(_segments((8, 16, 8, 3)), np.array([0, 2]))
    assert regions.part_of_page([Region(*stale, "stale")], effects) == part


def test_the_first_wrong_page_decides() -> None:
    """Low bytes cleared alone: the span ends at the page's end, so it is the tail."""
    effects = pages.effects(_segments((8, 16, 8, 3)), np.array([0, 2]))
    wrong = [Region(9, 12, "stale"), Region(13, 16, "stale"), Region(40, 48, "stale")]
    assert regions.part_of_page(wrong, effects) == "tail"


@pytest.mark.parametrize(
    ("offset", "whose"),
    [
        (20, "padding"),
        (24, "other block"),
        (56, "other segment"),
        (200, "other storage"),
        (99, "guard"),
        (3, "guard"),
        (299, "guard"),
    ],
)
def test_whose_byte_was_damaged(offset: int, whose: str) -> None:
    """One image with all owners: a segment, one touching it, a storage apart, guard zones."""
    segments = _segments((8, 16, 8, 3), (56, 16, 16, 2), (184, 16, 16, 2), (248, 16, 8, 1))
    effects = pages.effects(_segments((8, 16, 8, 3)), np.array([0]))
    if whose == "other segment":
        effects = pages.effects(_segments((8, 16, 8, 3)), np.array([2]))
    assert regions.victim(offset, segments, effects, range(8, 264)) == whose
