"""The crew with fake workers: deaths, hangs and silence, without a process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from fuzz import messages, restarts
from fuzz.build import build
from fuzz.death import Died
from fuzz.errors import UsageError, WorkerError
from fuzz.flight import InFlight
from fuzz.source import Recorder
from fuzz.supervisor import Crew
from fuzz.verdict import Verdict

CASE = build(Recorder(1), "small")
OPENED = messages.Opened("interpreter", "CPU", "h200", {"t": 4})
BATCH = messages.Batch(0, ("small",), 4, 10, 100, 1.0)
FINDING = Verdict("finding", "faulted", "memory", text="SIGSEGV")


class FakeWorker:
    """Does as its script says: an answer to give, or an exception to raise."""

    def __init__(self, script: list, *, opens: Exception | None = None) -> None:
        self.script = script
        self.opens = opens
        self.closed = False

    def opened(self) -> messages.Opened:
        if self.opens:
            raise self.opens
        return OPENED

    def ask(self, request, kind, on_found: Callable):
        assert not self.closed
        step = self.script.pop(0)
        if callable(step):
            step(on_found)
            step = self.script.pop(0)
        if isinstance(step, Exception):
            raise step
        return step

    def close(self) -> None:
        self.closed = True


def _crew(workers: list[FakeWorker], standbys: int = 0) -> Crew:
    hired = iter(workers)
    return Crew(messages.Open(("t",), None, None, ""), Path(), standbys=standbys, hire=lambda *_: next(hired))


def _counts(**changes: int) -> dict[str, int]:
    return {"passed": 0, "declined": 0, "unproved": 0, "finding": 0, "infra": 0} | changes


def _flying(*attempts: int) -> tuple[InFlight, ...]:
    return tuple(InFlight(attempt, "t", "small", CASE) for attempt in attempts)


def test_a_death_with_several_in_flight_names_the_guilty_one_alone() -> None:
    """The stretch is done again from the first case that did not land, one by one, up to the last in flight."""
    asked: list[messages.Batch] = []

    class Asked(FakeWorker):
        def ask(self, request, kind, on_found):
            asked.append(request)
            return super().ask(request, kind, on_found)

    together = Died(_flying(12, 13, 14, 15), FINDING, _counts(passed=2))
    alone = Died(_flying(13), FINDING, _counts(passed=1))
    workers = [
        Asked([together]), Asked([alone]), Asked([messages.BatchDone(16, _counts(passed=2))]),
    ]  # fmt: skip
    found: list[messages.Found] = []
    done = _crew(workers).batch(messages.Batch(0, ("small",), 4, 10, 100, 1.0), found.append)
    assert [(one.first, one.stop, one.alone) for one in asked] == [(10, 100, False), (12, 16, True), (14, 16, True)]
    assert [(one.attempt, one.verdict) for one in found] == [(13, FINDING)]
    assert (done.following, sum(done.counts.values())) == (16, 6)
    assert done.counts["finding"] == 1


@pytest.mark.parametrize("again", [True, False])
def test_a_death_that_none_shows_alone_is_one_of_their_sequence(*, again: bool) -> None:
    """Tried together once more; if that is right, too, the run says so and nobody is accused."""
    together = Died(_flying(10, 11), FINDING, _counts())
    last = Died(_flying(0), FINDING, _counts()) if again else messages.Tried(Verdict("passed"))
    workers = [
        FakeWorker([together]),
        FakeWorker([messages.BatchDone(12, _counts(passed=2)), last]),
        FakeWorker([]),
    ]
    found: list[messages.Found] = []
    done = _crew(workers).batch(messages.Batch(0, ("small",), 4, 10, 12, 1.0), found.append)
    assert [(one.attempt, one.case.sequence) for one in found] == ([(11, (CASE, CASE))] if again else [])
    assert done.counts == _counts(passed=2 - again, finding=int(again))
    assert bool(done.trouble) != again


@pytest.mark.parametrize("outcome", ["passed", "declined", "unproved"])
def test_a_find_of_a_sequence_counts_in_the_place_of_its_last_case(outcome: str) -> None:
    """Whatever that case was alone is one fewer; the others stay as they were, and none is told as a find."""
    together = Died(_flying(10, 11, 12), FINDING, _counts())
    alone = dict(zip((10, 11, 12), ("passed", "passed", outcome), strict=True))

    def tell(on_found: Callable) -> None:
        for attempt, one in alone.items():
            on_found(messages.Found(attempt, "t", "small", CASE, Verdict(one)))

    counts = _counts(**Counter(alone.values()))
    workers = [
        FakeWorker([together]),
        FakeWorker([tell, messages.BatchDone(13, counts), Died(_flying(0), FINDING, _counts())]),
        FakeWorker([]),
    ]
    found: list[messages.Found] = []
    done = _crew(workers).batch(messages.Batch(0, ("small",), 4, 10, 13, 1.0), found.append)
    assert [(one.attempt, one.verdict) for one in found] == [(12, FINDING)]
    assert done.counts == counts | {outcome: counts[outcome] - 1, "finding": 1}


def test_a_lone_case_that_died_out_of_turn_is_tried_in_turn() -> None:
    """A suspect of a batch kills the worker while those before it have not landed: nothing of them is lost."""
    early = Died(_flying(14), FINDING, _counts(passed=2))
    workers = [FakeWorker([early]), FakeWorker([Died(_flying(14), FINDING, _counts(passed=2))]), FakeWorker([])]
    found: list[messages.Found] = []
    done = _crew(workers).batch(messages.Batch(0, ("small",), 4, 10, 100, 1.0), found.append)
    assert (done.following, sum(done.counts.values()), len(found)) == (15, 5, 1)


def test_a_death_in_a_batch_is_the_find_of_its_case() -> None:
    """The case in flight is reported and counted, and the batch goes on behind it in another worker."""
    death = Died((InFlight(14, "t", "small", CASE),), FINDING, _counts(passed=3, unproved=1))
    workers = [FakeWorker([death]), FakeWorker([messages.BatchDone(100, {})])]
    crew = _crew(workers)
    found: list[messages.Found] = []
    done = crew.batch(BATCH, found.append)
    assert found == [messages.Found(14, "t", "small", CASE, FINDING)]
    assert done.counts == _counts(passed=3, unproved=1, finding=1)
    assert done.following == 15
    assert crew.batch(BATCH, found.append).following == 100
    assert workers[0].closed
    assert not workers[1].closed


def test_a_find_that_was_reported_before_the_death_counts_once() -> None:
    """The worker died between sending a find and landing it: one finding, not two."""
    report = messages.Found(12, "t", "small", CASE, FINDING)
    death = Died((), FINDING, _counts(passed=2))
    found: list[messages.Found] = []
    done = _crew([FakeWorker([lambda tell: tell(report), death]), FakeWorker([])]).batch(BATCH, found.append)
    assert found == [report]
    assert done.counts == _counts(passed=2, finding=1)
    assert (done.following, done.trouble) == (13, "")


def test_a_death_between_two_cases_is_trouble_not_a_find() -> None:
    """It is counted as infra, said in words, and the run goes on."""
    death = Died((), Verdict("infra", text="ended between two cases"), _counts(passed=2))
    found: list[messages.Found] = []
    done = _crew([FakeWorker([death]), FakeWorker([])]).batch(BATCH, found.append)
    assert found == []
    assert done.counts == _counts(passed=2, infra=1)
    assert (done.following, done.trouble) == (13, "ended between two cases")


def test_a_lost_device_retires_the_worker() -> None:
    """After a sticky error the next request goes to the standby."""
    lost = messages.Found(10, "t", "small", CASE, Verdict("finding", "faulted", "memory", lost=True))
    workers = [
        FakeWorker([lambda tell: tell(lost), messages.BatchDone(11, {"finding": 1})]),
        FakeWorker([]),
        FakeWorker([]),
    ]
    workers[1].script = [messages.Tried(Verdict("passed"))]
    crew = _crew(workers, standbys=1)
    crew.batch(BATCH, lambda found: None)
    assert workers[0].closed
    assert crew.attempt(CASE, "t") == Verdict("passed")


def test_a_standby_that_died_waiting_is_passed_over() -> None:
    """A dead standby ends nothing; the next one, or a new worker, takes over."""
    workers = [
        FakeWorker([Died((InFlight(0, "t", "", CASE),), FINDING, _counts())]),
        FakeWorker([], opens=WorkerError("died while loading targets")),
        FakeWorker([messages.Tried(Verdict("passed"))]),
        FakeWorker([]),
    ]
    crew = _crew(workers, standbys=1)
    assert crew.attempt(CASE, "t") == FINDING
    assert crew.attempt(CASE, "t") == Verdict("passed")


def test_workers_that_keep_dying_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the last restart the error says so; every death before it was reported."""
    monkeypatch.setattr(restarts, "MOST", 3)
    workers = [FakeWorker([Died((InFlight(0, "t", "", CASE),), FINDING, _counts())]) for _ in range(4)]
    crew = _crew(workers)
    assert [crew.attempt(CASE, "t") for _ in range(4)] == [FINDING] * 4
    with pytest.raises(WorkerError, match="died 4 times in one run"):
        crew.attempt(CASE, "t")


def test_a_target_that_cannot_be_loaded_is_said_each_time() -> None:
    """The typed error travels, and a second question does not wait for an answer that never comes."""
    crew = _crew([FakeWorker([], opens=UsageError("target='t': has no zeroer"))])
    for _ in range(2):
        with pytest.raises(UsageError, match="has no zeroer"):
            crew.open()


def test_a_renewed_crew_runs_in_another_worker_and_counts_no_death(monkeypatch: pytest.MonkeyPatch) -> None:
    """As often as somebody asks for a process that has run nothing."""
    monkeypatch.setattr(restarts, "MOST", 1)
    workers = [FakeWorker([messages.Tried(Verdict("passed"))]) for _ in range(5)]
    crew = _crew(workers)
    for number, worker in enumerate(workers):
        assert crew.attempt(CASE, "t").outcome == "passed"
        assert [one.closed for one in workers] == [index < number for index in range(5)]
        assert not worker.script
        crew.renew()
        crew.renew()
