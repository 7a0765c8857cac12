"""Cases in flight together: targets in plain Python on memory of the host, no kernel at all."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from fuzz import flight, messages
from fuzz.arena import arena_of
from fuzz.attempts import Attempts
from fuzz.batch import Batch, batchable
from fuzz.batch_arena import BatchArena
from fuzz.build import numbered
from fuzz.case import Call, Case
from fuzz.flight import InFlight, sequence_of
from fuzz.ids import Ids
from fuzz.layout import total
from fuzz.run import run_case
from fuzz.search import Search
from fuzz.shrink.sequence import fewer_members
from fuzz.shrink.structure import descend
from fuzz.shrink.trial import Trial
from fuzz.target import Target
from fuzz.verdict import Verdict
from kvzero import Limits
from tests.unit.test_run import FakeEngine, clear

MANY = 40


class Together(FakeEngine):
    """A CPU that takes cases together."""

    batches = True


ENGINE = Together()
ARENA = BatchArena(ENGINE, 2**24)
LONE = arena_of(ENGINE)


def _members(count: int = MANY, profile: str = "small") -> list[InFlight]:
    drawn = (InFlight(index, "t", profile, numbered(3, index, (profile,))[0]) for index in range(count))
    return [one for one in drawn if batchable(profile, one.case)]


def _target(zero: Callable[[Any, list], None]) -> dict[str, Target]:
    return {"t": Target("t", lambda table, device: lambda ids: zero(table, ids), Limits())}


def _labels(zero: Callable[[Any, list], None], members: list[InFlight]) -> dict[int, str]:
    batch = Batch(members, _target(zero), ARENA, patience=1.0, on_launch=lambda seconds: None)
    batch.launch()
    return {attempt: verdict.label() for attempt, verdict in batch.verdicts().items()}


def _alone(zero: Callable[[Any, list], None], members: list[InFlight]) -> dict[int, str]:
    (target,) = _target(zero).values()
    return {
        one.attempt: run_case(one.case, target, ENGINE, LONE, patience=1.0, on_launch=lambda seconds: None).label()
        for one in members
    }


def _first_id_lost(table: Any, ids: list[int]) -> None:
    clear(table, ids[1:])


def _tail_left(table: Any, ids: list[int]) -> None:
    for base, stride, page in zip(table.base.tolist(), table.stride.tolist(), table.page.tolist(), strict=True):
        for block in ids:
            ctypes.memset(base + block * stride, 0, page - 2)


def _padding_too(table: Any, ids: list[int]) -> None:
    for base, stride, page in zip(table.base.tolist(), table.stride.tolist(), table.page.tolist(), strict=True):
        for block in ids:
            ctypes.memset(base + block * stride, 0, max(stride, page))


def _ids_taken(table: Any, ids: list[int]) -> None:
    clear(table, ids)
    ids.clear()


def _table_changed(table: Any, ids: list[int]) -> None:
    clear(table, ids)
    table.page[-1] += 4


def _raising(table: Any, ids: list[int]) -> None:
    if len(ids) % 2:
        raise RuntimeError("odd")
    clear(table, ids)


@pytest.mark.parametrize(
    "zero", [clear, _first_id_lost, _tail_left, _padding_too, _ids_taken, _table_changed, _raising]
)
def test_a_case_shows_the_same_alone_and_among_others(zero: Callable[[Any, list], None]) -> None:
    """Whatever is wrong with a target that stays with its own case, and whatever is right."""
    members = _members()
    labels = _labels(zero, members)
    assert labels == _alone(zero, members)
    assert (set(labels.values()) == {"passed"}) == (zero is clear)


def test_every_turn_has_its_own_image() -> None:
    """A target that is right at its first call alone is found out by the cases that make more."""
    members = _members()
    made: dict[int, int] = {}

    def once(table: Any, ids: list[int]) -> None:
        made[id(table)] = made.get(id(table), 0) + 1
        if made[id(table)] == 1:
            clear(table, ids)

    labels = _labels(once, members)
    several = {one.attempt for one in members if any(call.ids for call in one.case.calls[1:])}
    assert several
    assert {attempt for attempt, label in labels.items() if label != "passed"} == several


def test_a_store_into_a_neighbour_shows_there() -> None:
    """The bytes behind a case's last guard zone belong to the next one."""
    members = _members()
    sizes = {one.attempt: total(one.case) for one in members}
    count = next(len(call.ids) for one in members for call in one.case.calls if call.ids)

    def stray(table: Any, ids: list[int]) -> None:
        clear(table, ids)
        if len(ids) == count:
            ctypes.memset(int(table.base.max()) + max(sizes.values()), 0, 4096)

    labels = _labels(stray, members)
    assert set(labels.values()) > {"passed"}


class Bad:
    """Right but for a store far behind the case, on calls of seven ids."""

    far = 2**20

    def __call__(self, table: Any, ids: list[int]) -> None:
        clear(table, ids)
        if len(ids) == 7:
            ctypes.memset(int(table.base.max()) + self.far, 0, 2**16)


def _searched(zero: Callable[[Any, list], None], folder: Path, cases: int, **more: Any) -> tuple[Counter, list]:
    attempts = Attempts(ENGINE, _target(zero), folder / f"{len(more)}.slot")
    search, found = Search(attempts), []
    counts: Counter[str] = Counter()
    first = 0
    while first < cases:
        request = messages.Batch(3, ("small",), 4, first, cases, 30.0, **more)
        done = search.run(request, found.append)
        counts.update(done.counts)
        first = done.following
    return counts, found


@pytest.mark.parametrize("zero", [clear, _first_id_lost, _raising])
def test_a_search_counts_the_same_with_and_without_batches(zero: Callable, tmp_path: Path) -> None:
    """Outcomes, attempts and verdicts of the finds do not depend on who flew with whom."""
    together, found = _searched(zero, tmp_path, 120)
    alone, lone = _searched(zero, tmp_path, 120, alone=True)
    assert together == alone
    assert sum(together.values()) == 120
    assert [(one.attempt, one.verdict.label()) for one in found] == [(one.attempt, one.verdict.label()) for one in lone]


def test_what_shows_among_others_alone_is_a_find_of_their_sequence(tmp_path: Path) -> None:
    """Nobody is accused of a neighbour's store; the sequence of the batch shows it again."""
    counts, found = _searched(Bad(), tmp_path, 120)
    assert sum(counts.values()) == 120
    assert counts["finding"] == len(found) > 0
    assert all(one.case.sequence for one in found)
    attempts = Attempts(ENGINE, _target(Bad()), tmp_path / "2.slot")
    for one in found:
        again = attempts.alone(InFlight(0, "t", "small", one.case), 1.0)
        assert again.outcome == "finding"


def test_what_a_neighbours_own_find_explains_is_no_find(tmp_path: Path) -> None:
    """A case that damages itself and its neighbour is found; the neighbour passes."""

    def greedy(table: Any, ids: list[int]) -> None:
        clear(table, ids)
        if len(ids) == 7:
            start = int((table.base + table.stride * 64).max())
            ctypes.memset(int(table.base.min()) - 8, 0, 8)
            ctypes.memset(start + 2**17, 0, 2**16)

    counts, found = _searched(greedy, tmp_path, 120)
    guilty = {
        index for index in range(120)
        if any(len(call.ids) == 7 for call in _case(index).calls)
    }  # fmt: skip
    assert {one.attempt for one in found} == guilty
    assert counts["finding"] == len(guilty) > 0


def _case(index: int) -> Case:
    return numbered(3, index, ("small",))[0]


def _attempt(attempts: Attempts, case: Case) -> Verdict:
    return attempts.alone(InFlight(0, "t", "small", case), 1.0)


def test_a_sequence_of_a_stray_store_shrinks_to_few_cases(tmp_path: Path) -> None:
    """The one that stores, the one that is hit, and those that lie between: none can be spared."""
    _, found = _searched(Bad(), tmp_path, 120)
    attempts = Attempts(ENGINE, _target(Bad()), tmp_path / "2.slot")
    case = found[0].case
    bucket = _attempt(attempts, case).bucket("t", "h200")
    trial = Trial(case, bucket, lambda one: _attempt(attempts, one), 60.0, 1000, lambda *other: None)
    descend(trial, fewer_members)
    left = trial.best.sequence
    assert 2 < len(left) < len(case.sequence) / 4
    again = _attempt(attempts, trial.best)
    assert again.shows(bucket)
    assert again.member is not None
    for index, member in enumerate(left):
        fewer = replace(trial.best, sequence=left[:index] + left[index + 1 :])
        assert not _attempt(attempts, fewer).shows(bucket)
        assert _attempt(attempts, member) == Verdict("passed")


def test_a_sequence_of_more_than_a_batch_runs_in_several(tmp_path: Path) -> None:
    """As when a worker ends with two batches in flight; the guilty one in the second is named."""
    members = _members(400)
    assert sum(total(one.case) for one in members) > ARENA.room
    case = sequence_of(members, "t")
    assert _attempt(Attempts(ENGINE, _target(clear), tmp_path / "1.slot"), case) == Verdict("passed")
    last = replace(case, sequence=(*case.sequence, _stale(case)))
    attempts = Attempts(ENGINE, _target(_many_zeros_left), tmp_path / "2.slot")
    assert _attempt(attempts, last).member == len(case.sequence)


def _many_zeros_left(table: Any, ids: list[int]) -> None:
    if ids != [0] * 777:
        clear(table, ids)


def _stale(case: Case) -> Case:
    """A case that ``_many_zeros_left`` leaves as it was."""
    return replace(case.sequence[0], calls=(Call("zero", Ids.parse("0*777")),))


def test_a_slow_batch_is_not_overdue_as_long_as_it_goes_on(tmp_path: Path) -> None:
    """Each launch gives the rest of its batch time anew: a compile before each would else look like a hang."""
    attempts = Attempts(ENGINE, _target(clear), tmp_path / "1.slot")
    attempts.hold(_members(3))
    begun = flight.read(tmp_path / "1.slot").started
    attempts._going_on(0.5)
    state = flight.read(tmp_path / "1.slot")
    assert state.started > begun
    assert state.limit >= 10.0
