"""Lanes with fake workers: shared work, waits between workers that die, and when a run gives up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from fuzz import devices, messages, restarts
from fuzz.build import build
from fuzz.campaign import Campaign, Kit
from fuzz.control import Control
from fuzz.death import Died
from fuzz.errors import UsageError, WorkerError
from fuzz.events import Report, Warned
from fuzz.fleet import Fleet
from fuzz.guided import coverage
from fuzz.guided.epochs import epoch_of, first_of
from fuzz.guided.guide import Guide
from fuzz.journal import Journal
from fuzz.plan import Plan
from fuzz.restarts import Deaths, Restarts
from fuzz.source import Recorder
from fuzz.verdict import Verdict
from fuzz.waiting import Abandoned

CASE = build(Recorder(1), "small")
TAIL = Verdict("finding", "stale", "tail")
Step = Callable[[messages.Batch, Callable], messages.BatchDone]


class FakeWorker:
    """Runs a batch as its step says; opens unless it is told not to."""

    def __init__(self, step: Step, opens: Exception | None = None) -> None:
        self.step = step
        self.opens = opens
        self.gpus = 0
        self.warm = True
        self.given_up: Callable[[], bool]
        self.unwanted: Callable[[], bool]
        self.closed = False

    def opened(self) -> messages.Opened:
        if self.opens:
            raise self.opens
        return messages.Opened("simulator", "CPU", "h200", {"t": 4}, {"t": "table"}, self.gpus)

    def ask(self, request, kind, on_found: Callable):
        assert not self.closed
        if kind is messages.Tried:
            return messages.Tried(TAIL)
        return self.step(request, on_found)

    def close(self) -> None:
        self.closed = True


def _passes(request: messages.Batch, on_found: Callable) -> messages.BatchDone:
    """A third of what was asked for, so that rests are handed back; attempts divisible by 100 are finds."""
    following = min(request.first + max((request.stop - request.first) // 3, 1), request.stop)
    finds = [attempt for attempt in range(request.first, following) if attempt % 100 == 0]
    for attempt in finds:
        on_found(messages.Found(attempt, "t", "small", CASE, TAIL))
    time.sleep(0.001)
    return messages.BatchDone(
        following, {"passed": following - request.first - len(finds), "finding": len(finds)}, compiled=3
    )


def _dies(request: messages.Batch, on_found: Callable) -> messages.BatchDone:
    raise Died((), Verdict("infra", text="ended between two cases"), {})


class _Run:
    """A campaign of fake workers, each made by the next step of a script."""

    def __init__(self, folder: Path, step: Callable[[int], FakeWorker], **plan: object) -> None:
        self.events: list = []
        self.hired = 0
        self._step = step
        self._lock = threading.Lock()
        usual = {"profiles": ("small",), "cases": 2000, "workers": 3, "use_known": False}
        self.plan = Plan(("t",), seed=0, corpus=folder, **{**usual, **plan})
        self.control = Control(self.plan.seconds, self.plan.attempts, stop_on_find=self.plan.stop_on_find)
        self.journal = Journal()

    def _hire(self, *_: object) -> FakeWorker:
        with self._lock:
            self.hired += 1
            return self._step(self.hired)

    def report(self) -> Report:
        fleet = Fleet(self.plan.opening(), Path(), self.control, self._hire)
        try:
            return Campaign(self.plan, Kit(self.control, fleet, self.journal, self.events.append)).run()
        finally:
            fleet.close()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restarts, "SHORTEST", 0.001)


@pytest.mark.parametrize("workers", [1, 4])
def test_every_case_is_counted_once_whatever_the_lanes(tmp_path: Path, workers: int) -> None:
    """Counts, finds and journal agree for one lane and for four."""
    run = _Run(tmp_path, lambda number: FakeWorker(_passes), workers=workers)
    report = run.report()
    assert (report.stop_reason, report.attempted, report.counts["finding"]) == ("cases", 2000, 20)
    (find,) = report.distinct
    assert (find.count, find.settled, find.replays) == (20, True, (10, 10))
    kept = Report(0)
    run.journal.restore(kept)
    assert (kept.counts, kept.stop_reason, [f.count for f in kept.distinct]) == (report.counts, "cases", [20])
    assert run.journal.progress() == (8, {})


@pytest.mark.parametrize("workers", [1, 3])
def test_a_case_has_the_pool_of_its_epoch_whatever_the_lanes(tmp_path: Path, workers: int) -> None:
    """No batch reaches over an epoch's end, and each has the pool that a guide of the same seed makes."""
    guide, seen = Guide(0, ("small",), 4), []
    wanted = {epoch: guide.at(first_of(epoch)) for epoch in range(5)}

    def looks(request: messages.Batch, on_found: Callable) -> messages.BatchDone:
        seen.append((request.first, request.stop, request.pool))
        return _passes(request, on_found)

    run = _Run(tmp_path, lambda number: FakeWorker(looks), workers=workers, cases=1500)
    assert run.report().attempted == 1500
    for first, stop, pool in seen:
        epoch = epoch_of(first)
        assert stop <= wanted[epoch].stop
        assert pool == wanted[epoch].pool
    assert {epoch_of(first) for first, _, _ in seen} == set(wanted)
    assert [one.epoch for one in run.journal.epochs()] == list(wanted)


@pytest.mark.parametrize(("profile", "reads"), [("small", 1), ("exhaustive", 0)])
def test_epochs_are_read_once_and_kept_cases_for_a_fresh_search_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: str, reads: int
) -> None:
    """An enumeration has neither; a run that goes on has the cases that it began with in its epochs."""
    asked = []
    run = _Run(tmp_path, lambda number: FakeWorker(_passes), profiles=(profile,), cases=100)
    monkeypatch.setattr(coverage, "start", lambda *_: asked.append("start") or coverage.Start([], ""))
    epochs = run.journal.epochs
    monkeypatch.setattr(run.journal, "epochs", lambda: asked.append("epochs") or epochs())
    run.report()
    assert asked == ["epochs", "start"][: 2 * reads]
    asked.clear()
    run.report()
    assert asked == ["epochs"][:reads]


def test_a_worker_that_dies_costs_the_others_nothing(tmp_path: Path) -> None:
    """The lane takes another one, and the sum still closes."""

    def once(request: messages.Batch, on_found: Callable) -> messages.BatchDone:
        raise Died((), Verdict("infra", text="ended between two cases"), {"passed": 2})

    report = _Run(tmp_path, lambda number: FakeWorker(once if number % 4 == 1 else _passes)).report()
    assert (report.stop_reason, report.attempted) == ("cases", 2000)
    assert report.counts["infra"] >= 1


def test_a_worker_that_leaks_is_replaced_between_batches(tmp_path: Path) -> None:
    """It is no death, nothing is lost, and the user is told once."""
    held = {1: 0}

    def leaks(request: messages.Batch, on_found: Callable) -> messages.BatchDone:
        held[1] += 2**30
        return msgspec.structs.replace(_passes(request, on_found), memory=held[1])

    workers = [FakeWorker(leaks), *(FakeWorker(_passes) for _ in range(9))]
    run = _Run(tmp_path, lambda number: workers[number - 1], workers=1)
    report = run.report()
    assert (report.attempted, held[1] >> 30) == (2000, 4)
    assert workers[0].closed
    told = [event.text for event in run.events if isinstance(event, Warned)]
    assert sum("grew by more than 2 GB" in text for text in told) == 1


def test_workers_that_run_nothing_end_the_run_in_words(tmp_path: Path) -> None:
    """After so many in a row it is no case that kills them."""
    run = _Run(tmp_path, lambda number: FakeWorker(_dies))
    report = run.report()
    assert (report.stop_reason, report.trouble) == ("infrastructure", "ended between two cases")
    assert restarts.MOST_BARREN < report.counts["infra"] <= 3 * (restarts.MOST_BARREN + 1)


def test_workers_that_cannot_be_opened_any_more_end_the_run(tmp_path: Path) -> None:
    """A GPU that went away: the first worker dies, and no other one opens."""
    gone = UsageError("engine=cuda: torch sees no CUDA device")
    run = _Run(tmp_path, lambda number: FakeWorker(_dies, opens=gone if number > 1 else None))
    report = run.report()
    assert report.stop_reason == "infrastructure"
    assert "torch sees no CUDA device" in report.trouble


def test_a_signal_gives_up_a_worker_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the grace its batch is dropped, and what it told of a find is kept but not counted."""
    monkeypatch.setattr("fuzz.control.GRACE", 0.2)

    def hangs(request: messages.Batch, on_found: Callable) -> messages.BatchDone:
        on_found(messages.Found(request.first, "t", "small", CASE, TAIL))
        run.control._signal, run.control._signalled = "SIGTERM", time.monotonic()
        while not worker.given_up():
            time.sleep(0.01)
        raise Abandoned

    worker = FakeWorker(hangs)
    run = _Run(tmp_path, lambda number: worker if number == 1 else FakeWorker(_passes), workers=1)
    begun = time.monotonic()
    report = run.report()
    assert 0.2 < time.monotonic() - begun < 5
    assert (report.stop_reason, report.attempted) == ("signal SIGTERM", 0)
    assert [(find.count, find.settled) for find in report.distinct] == [(0, False)]
    assert len(list((tmp_path / "crashing").iterdir())) == 1


def test_a_find_is_shrunk_before_a_standby_is_warm(tmp_path: Path) -> None:
    """The lane lends its crew, batch and try never at once, and goes on searching after it."""
    busy = threading.Lock()
    asked: list[type] = []

    class Alone(FakeWorker):
        def ask(self, request, kind, on_found: Callable):
            assert busy.acquire(blocking=False), "two of them use one worker"
            try:
                asked.append(kind)
                time.sleep(0.001)
                return super().ask(request, kind, on_found)
            finally:
                busy.release()

    def cold(number: int) -> FakeWorker:
        worker = Alone(_passes) if number == 1 else FakeWorker(_passes)
        worker.warm = False
        return worker

    report = _Run(tmp_path, cold, workers=1).report()
    assert (report.stop_reason, report.attempted, report.trouble) == ("cases", 2000, None)
    first, last = asked.index(messages.Tried), len(asked) - 1 - asked[::-1].index(messages.Tried)
    assert messages.BatchDone not in asked[first:last]
    assert messages.BatchDone in asked[last:]
    assert report.distinct[0].settled


def test_a_run_does_not_wait_for_workers_that_it_needs_no_more(tmp_path: Path) -> None:
    """A lane whose worker still imports torch when all is done goes home."""

    class Loading(FakeWorker):
        warm = property(lambda self: False, lambda self, value: None)

        def opened(self) -> messages.Opened:
            while not self.unwanted():
                time.sleep(0.01)
            raise Abandoned

    workers = [FakeWorker(_passes), *(Loading(_passes) for _ in range(9))]
    begun = time.monotonic()
    report = _Run(tmp_path, lambda number: workers[number - 1], cases=90).report()
    assert time.monotonic() - begun < 10
    assert (report.stop_reason, report.attempted, report.trouble) == ("cases", 90, None)


def test_trouble_of_a_case_is_said(tmp_path: Path) -> None:
    """An attempt that failed by our own fault is a warning and counted, and no find."""

    def troubled(request: messages.Batch, on_found: Callable) -> messages.BatchDone:
        if request.first:
            return _passes(request, on_found)
        on_found(messages.Found(0, "t", "small", CASE, Verdict("infra", text="a fault of ours")))
        return messages.BatchDone(2, {"infra": 1, "passed": 1})

    run = _Run(tmp_path, lambda number: FakeWorker(troubled), cases=50, workers=1)
    report = run.report()
    assert (report.attempted, report.counts["infra"], report.distinct) == (50, 1, [])
    assert any(isinstance(event, Warned) and "a fault of ours" in event.text for event in run.events)


def test_waits_grow_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each barren worker waits longer, up to a bound; one case that ran makes waits short again."""
    monkeypatch.setattr(restarts, "SHORTEST", 0.1)
    monkeypatch.setattr(restarts, "LONGEST", 0.2)
    waited = []
    lane = Restarts(Deaths())
    for _ in range(3):
        begun = time.monotonic()
        lane.barren(WorkerError("x"))
        waited.append(time.monotonic() - begun)
    assert 0.1 <= waited[0] < 0.2 <= min(waited[1:])
    monkeypatch.setattr(restarts, "LONGEST", 0.0)
    lane.ran(1)
    for _ in range(restarts.MOST_BARREN):
        lane.barren(WorkerError("x"))
    with pytest.raises(WorkerError, match="x"):
        lane.barren(WorkerError("x"))


def test_deaths_are_allowed_by_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hundred, and one for each thousand cases that ran."""
    deaths = Deaths()
    lane, other = Restarts(deaths), Restarts(deaths)
    for _ in range(restarts.MOST + 1):
        lane.died()
    with pytest.raises(WorkerError, match="died 201 times in one run"):
        other.check()
    other.ran(1000)
    lane.check()


@pytest.mark.parametrize(
    ("engine", "gpus", "cores", "workers"),
    [("simulator", 0, 1, 1), ("simulator", 0, 2, 1), ("simulator", 0, 16, 8), ("simulator", 0, 64, 32),
     ("cuda", 1, 16, 14), ("cuda", 1, 64, 14), ("cuda", 1, 1, 1), ("cuda", 1, 2, 1), ("cuda", 0, 8, 6),
     ("cuda", 8, 128, 112), ("cuda", 4, 16, 8)],
)  # fmt: skip
def test_as_many_workers_as_the_machine_bears(engine: str, gpus: int, cores: int, workers: int) -> None:
    """Half of the cores without a GPU; with GPUs, each one's share of cores but two, at most fourteen."""
    opened = messages.Opened(engine, "x", "h200", {}, gpus=gpus)
    assert devices.usual_workers(opened, cores) == workers


def test_workers_index_into_the_inherited_devices() -> None:
    """Entries are taken as they are, numbers or UUIDs; with one GPU nothing is set."""
    assert devices.environment(0, 1, {}) == {}
    assert devices.environment(1, 2, {}) == {"CUDA_VISIBLE_DEVICES": "1"}
    assert devices.environment(0, 2, {"CUDA_VISIBLE_DEVICES": "5,3"}) == {"CUDA_VISIBLE_DEVICES": "5"}
    assert devices.environment(1, 2, {"CUDA_VISIBLE_DEVICES": "GPU-a, GPU-b"}) == {"CUDA_VISIBLE_DEVICES": "GPU-b"}


def test_lanes_are_dealt_out_over_gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first worker sees all GPUs and uses the first; the others see one each, by turns, standbys too."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "6,4")
    monkeypatch.setattr("fuzz.fleet.usual_standbys", lambda: 1)
    environments: list[dict] = []

    def step(number: int) -> FakeWorker:
        worker = FakeWorker(_passes)
        worker.gpus = 2
        return worker

    run = _Run(tmp_path, step, workers=4, cases=20_000)
    plain = run._hire
    monkeypatch.setattr(run, "_hire", lambda *args: (environments.append(args[2]), plain())[1])
    assert run.report().stop_reason == "cases"
    first, *others = environments
    assert first == {}
    seen = [one["CUDA_VISIBLE_DEVICES"] for one in others]
    assert seen.count("4") == 3, "two lanes and a standby"
    assert seen.count("6") >= 2, "a lane and a standby, and one more if a find took that"
