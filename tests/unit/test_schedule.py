"""The schedule: every attempt once, whatever the order in which pieces come back."""

from __future__ import annotations

import random

import pytest

from fuzz.schedule import LONG, MANY, SHORT, Schedule, Work


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("stop", [1, SHORT, 3 * SHORT, 10 * SHORT + 7, MANY + 1])
def test_every_attempt_is_run_once(seed: int, stop: int) -> None:
    """Pieces come back in part, out of order, and over restarts from what was written down."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    schedule, ran, out = Schedule(stop), [], []
    written: dict[int, int] = {}
    while not schedule.finished:
        work = schedule.take() if len(out) < 4 else None
        if work is not None:
            out.append(work)
            continue
        work = out.pop(chance.randrange(len(out)))
        following = chance.randint(work.first, work.stop)
        ran += range(work.first, following)
        schedule.hand_back(work, following)
        written[work.slice] = following
        written = {number: after for number, after in written.items() if number >= schedule.floor}
        if chance.random() < 0.1:
            schedule, out = Schedule(stop, schedule.floor, written), []
    assert sorted(ran) == list(range(stop))
    assert schedule.take() is None
    assert not written


def test_the_rest_of_a_slice_comes_before_a_fresh_one() -> None:
    """What was left unfinished is the next piece, from where it was left."""
    schedule = Schedule(None)
    first, second = schedule.take(), schedule.take()
    assert (first, second) == (Work(0, 0, LONG), Work(1, LONG, 2 * LONG))
    schedule.hand_back(second, LONG + 5)
    assert schedule.take() == Work(1, LONG + 5, 2 * LONG)
    assert schedule.take() == Work(2, 2 * LONG, 3 * LONG)


def test_a_schedule_is_finished_only_when_all_is_back() -> None:
    """A piece that somebody has may come back unfinished."""
    schedule = Schedule(10)
    work = schedule.take()
    assert schedule.take() is None
    assert not schedule.finished
    schedule.hand_back(work, 4)
    assert schedule.take() == Work(0, 4, 10)
    schedule.hand_back(work, 10)
    assert schedule.finished


def test_finished_slices_are_one_number() -> None:
    """The floor rises over all that are done in a row, and waits for the slowest."""
    schedule = Schedule(None)
    works = [schedule.take() for _ in range(4)]
    for work in works[1:]:
        schedule.hand_back(work, work.stop)
    assert schedule.floor == 0
    schedule.hand_back(works[0], works[0].stop)
    assert schedule.floor == 4
