"""An arena that is judged on a device, its host's half: tiles, audits, regions. The device is NumPy here."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from fuzz import large_image
from fuzz.device_check import poison_of, words
from fuzz.engines import EngineFailed
from fuzz.large_image import LargeImage
from oracles import pages
from oracles.pages import Effects, Region, merged

TILE = 64
TILES = 40
SIZE = TILE * TILES - 24
"""The last tile is not full."""

NONE = np.empty((0, 2), np.int64)


def _effects(must: object, may: object = NONE) -> Effects:
    intervals = np.array(must, np.int64).reshape(-1, 2)
    return Effects(intervals, intervals[:, 0], intervals, np.array(may, np.int64).reshape(-1, 2))


def _poison() -> np.ndarray:
    return words(np.arange(TILE * TILES // 4)).view(np.uint8)


def _cleared(effects: Effects) -> np.ndarray:
    image = _poison()
    for start, stop in effects.must.tolist():
        image[start:stop] = 0
    return image


def _honest(memory: torch.Tensor, size: int, edges: np.ndarray, tile: int) -> np.ndarray:
    """What a device does: it knows no byte that may be cleared."""
    expected = _cleared(_effects(edges))
    return np.unique(np.flatnonzero(memory.numpy()[:size] != expected[:size]) // tile)


def _wrong(image: np.ndarray, effects: Effects, check: large_image.Check = _honest) -> list[Region]:
    return LargeImage(torch.from_numpy(image), SIZE, TILE, check).wrong(effects)


def _intervals(random: np.random.Generator, most: int, unit: int) -> np.ndarray:
    starts = np.sort(random.integers(0, SIZE // unit, random.integers(0, most))) * unit
    stops = np.minimum(starts + random.integers(1, 200 // unit, len(starts)) * unit, SIZE)
    return merged(np.stack([starts, stops], axis=1))


@pytest.mark.parametrize("unit", [1, 4])
@pytest.mark.parametrize("batch", [TILE, 3 * TILE, 2**20])
def test_regions_are_those_of_a_small_arena(unit: int, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred images with random pages, bytes that may be cleared, and damage of every kind."""
    monkeypatch.setattr(large_image, "BATCH", batch)
    random = np.random.default_rng(unit)
    kinds = set()
    for _ in range(100):
        effects = _effects(_intervals(random, 20, unit), _intervals(random, 3, unit))
        image = _cleared(effects)
        for start, stop in _intervals(random, 5, 1).tolist():
            image[start:stop] = random.choice([0, 1, 255]) if random.integers(2) else _poison()[start:stop]
        expected = pages.compare(_poison()[:SIZE], image[:SIZE], effects)
        assert _wrong(image, effects) == expected
        kinds |= {region.kind for region in expected}
    assert kinds == {"clobbered", "wrong", "stale"}


def test_a_stale_page_over_many_tiles_is_one_region() -> None:
    """As are cleared bytes on both sides of it, whatever tiles they lie in."""
    effects = _effects([[100, 2000]])
    image = _poison()
    image[40:100] = image[2000:2300] = 0
    assert _wrong(image, effects) == [
        Region(40, 100, "clobbered"),
        Region(100, 2000, "stale"),
        Region(2000, 2300, "clobbered"),
    ]


def test_bytes_behind_the_image_do_not_count() -> None:
    """Its last tile is filled up with bytes of nobody."""
    image = _poison()
    image[SIZE:] = 0
    assert _wrong(image, _effects([])) == []
    image[SIZE - 1] = 0
    assert _wrong(image, _effects([])) == [Region(SIZE - 1, SIZE, "clobbered")]


@pytest.mark.parametrize("at", [0, 700, SIZE - 1])
def test_a_device_that_misses_a_tile_is_trouble_of_ours(at: int) -> None:
    """The first tile, the last and those where a page begins or ends are audited in any image."""
    image = _cleared(_effects([[704, 800]]))
    image[at] ^= 1
    with pytest.raises(EngineFailed, match=rf"about 1 tiles.* at {at // TILE * TILE}, is wrong to NumPy and right"):
        _wrong(image, _effects([[704, 800]]), lambda *_: np.empty(0, np.int64))


def test_a_device_that_misses_much_is_met_by_chance() -> None:
    """No page, so that only the random sample can tell."""
    image = _poison()
    image[TILE : SIZE - TILE : TILE] = 0
    with pytest.raises(EngineFailed, match="wrong to NumPy"):
        _wrong(image, _effects([]), lambda *_: np.empty(0, np.int64))


def test_a_device_that_flags_a_right_tile_is_trouble_of_ours() -> None:
    """Nothing is said about the target, though another tile is wrong."""
    image = _poison()
    image[5] = 0
    with pytest.raises(EngineFailed, match=r"about 1 tiles .* at 192, is right to NumPy and wrong to the device"):
        _wrong(image, _effects([]), lambda *_: np.array([0, 3]))


def test_tiles_that_may_be_cleared_are_left_to_numpy() -> None:
    """The device flags them without knowing better, and nobody is to blame; damage in them is found."""
    effects = _effects([[128, 192]], [[128, 300]])
    image = _cleared(effects)
    image[200:280] = 0
    assert _wrong(image, effects) == []
    image[310] = 0
    assert _wrong(image, effects) == [Region(310, 311, "clobbered")]


def test_more_regions_than_there_is_memory_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each kind the first ones are kept, so that the one that decides a verdict is never lost."""
    monkeypatch.setattr(large_image, "MOST_REGIONS", 5)
    monkeypatch.setattr(large_image, "BATCH", TILE)
    effects = _effects([[0, 1024]])
    image = _cleared(effects)
    image[0:1024:4] = _poison()[0:1024:4]
    image[1500] = 0
    found = _wrong(image, effects)
    stale = [region for region in found if region.kind == "stale"]
    assert 5 <= len(stale) <= 5 + TILES
    assert stale == [Region(at, at + 1, "stale") for at in range(0, 4 * len(stale), 4)]
    assert found[len(stale) :] == [Region(1500, 1501, "clobbered")]


def test_every_page_of_a_launch_that_did_not_run_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there are: a skipped launch is one that left all of them stale."""
    monkeypatch.setattr(large_image, "MOST_REGIONS", 1)
    monkeypatch.setattr(large_image, "BATCH", TILE)
    effects = _effects([[at, at + 4] for at in range(0, SIZE, 8)])
    assert len(_wrong(_poison(), effects)) == len(effects.must)


def test_poison_is_never_zero_and_tells_positions_apart() -> None:
    """A page moved by any usual stride, by patches, past 2^31 elements or past 2^32 bytes differs in every word.

    Single bytes are equal by chance; a lane of four can be on the whole of a patch, never two.
    """
    shifts = [*(2**power for power in range(36)), 292, 1025, 2**14 + 1, 2**30 + 2**14]
    same = []
    for first in (0, 2**33, 2**36 - 2**30):
        places = first + np.arange(2**16)
        here = words(places)
        assert here.view(np.uint8).min() > 0
        for shift in shifts:
            moved = words(places + shift)
            assert not np.any(moved == here), (first, shift)
            same.append(np.mean(moved.view(np.uint8) == here.view(np.uint8)))
    assert np.mean(same) < 1 / 64
    assert max(same) < 0.1


def test_the_poison_of_tiles_is_that_of_their_words() -> None:
    """In any order, far apart, several in a patch."""
    tiles = np.array([0, 3, 2**30, 4, 2**36 - 1])
    places = tiles[:, None] * 16 + np.arange(16)
    assert np.array_equal(poison_of(tiles, 64), words(places).view(np.uint8).ravel())
