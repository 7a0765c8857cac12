"""Images without bytes: stores kept as intervals give the same regions as bytes do."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from fuzz.arena import poison
from oracles import pages
from oracles.pages import Region, Segments

SIZE = 96


def _effects(random: Random) -> pages.Effects:
    count = random.randint(1, 3)
    rows = [(random.randrange(0, 30), 20, random.randint(1, 20), 3) for _ in range(count)]
    return pages.effects(Segments(*np.array(rows, np.int64).T), np.array(sorted(random.sample(range(3), 2))))


@pytest.mark.parametrize("seed", range(60))
def test_intervals_tell_what_bytes_tell(seed: int) -> None:
    """Random stores of zeros and of others, over each other, against the same stores to bytes."""
    random = Random(seed)  # noqa: S311 - the same stores every time
    effects = _effects(random)
    before = poison(SIZE)
    after = before.copy()
    stores: list[tuple[np.ndarray, np.ndarray, int | np.ndarray]] = []
    if random.random() < 0.7:
        stores.append((effects.must[:, 0], effects.must[:, 1], 0))
        for start, stop in effects.must.tolist():
            after[start:stop] = 0
    for _ in range(random.randint(0, 4)):
        starts = np.array([random.randrange(0, SIZE - 8) for _ in range(2)])
        stops = starts + random.randint(1, 8)
        values = np.array([random.choice([0, 0, 256]) for _ in range(2)])
        for start, stop, value in zip(starts, stops, values, strict=True):
            after[start:stop] = value and 0
            if value:
                after[start:stop] = before[start:stop] % 255 + 1
        order = np.argsort(values != 0, kind="stable")
        for number in order:
            after[starts[number] : stops[number]] = 0
            if values[number]:
                after[starts[number] : stops[number]] = before[starts[number] : stops[number]] % 255 + 1
        stores.append((starts, stops, values))
    assert pages.compare_written(stores, effects) == pages.compare(before, after, effects)


def test_exactly_the_pages_is_no_region() -> None:
    """Also in another order, with repeats, and cut into pieces."""
    effects = pages.effects(Segments(*np.array([(8, 16, 12, 3)], np.int64).T), np.array([0, 2]))
    starts = np.array([40, 8, 46, 14, 8])
    stops = np.array([46, 14, 52, 20, 20])
    assert pages.compare_written([(starts, stops, 0)], effects) == []
    assert pages.compare_written([(starts[:2], stops[:2], 0), (starts[2:4], stops[2:4], 0)], effects) == []


@pytest.mark.parametrize(
    ("store", "region"),
    [
        ((20, 21, 0), Region(20, 21, "clobbered")),
        ((4, 8, 7), Region(4, 8, "clobbered")),
        ((10, 12, 7), Region(10, 12, "wrong")),
    ],
)
def test_one_store_too_many(store: tuple[int, int, int], region: Region) -> None:
    """Beside the page, and over it with something else than zero."""
    effects = pages.effects(Segments(*np.array([(8, 16, 12, 3)], np.int64).T), np.array([0]))
    right = (effects.must[:, 0], effects.must[:, 1], 0)
    start, stop, value = store
    assert pages.compare_written([right, (np.array([start]), np.array([stop]), value)], effects) == [region]


def test_a_page_that_was_not_written_is_stale() -> None:
    """Its tail alone, too."""
    effects = pages.effects(Segments(*np.array([(8, 16, 12, 3)], np.int64).T), np.array([0]))
    assert pages.compare_written([], effects) == [Region(8, 20, "stale")]
    assert pages.compare_written([(np.array([8]), np.array([16]), 0)], effects) == [Region(16, 20, "stale")]
