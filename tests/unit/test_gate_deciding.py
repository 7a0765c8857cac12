"""What a find means: old or new by what the base shows, and undecided where nobody could find out."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.case import Case
from fuzz.errors import WorkerError
from fuzz.gate import deciding
from fuzz.gate.checks.corpus_files import CorpusFiles
from fuzz.gate.checks.limits import LimitsCheck
from fuzz.gate.checks.seeded_search import SeededSearch
from fuzz.gate.events import FindDecided
from fuzz.verdict import Verdict
from fuzz.waiting import Abandoned
from tests.gates import GUARD, LAUNCH, PASSED, TAIL, Broken, FakeWorker, dying_after, grounded, one_page, reported, wide


def test_a_launch_that_fails_where_the_base_s_does_not_is_new(tmp_path: Path) -> None:
    """Refused for wide pages, the base for narrow ones: no case in common; with one in common it is old."""
    refused = Verdict("finding", "rejected", "launch-z")
    many = lambda case: any(s.page >= 64 for s in case.segments)  # noqa: E731
    ours = lambda case: refused if many(case) else PASSED  # noqa: E731
    for theirs, line in (
        (lambda case: PASSED if many(case) else refused, "gate: no, 1 new"),
        (lambda case: refused if len(case.segments) > 1 else PASSED, "gate: yes"),
    ):
        ground, _ = grounded(tmp_path, ours, theirs)
        assert reported(ground, SeededSearch()).line == line


def test_a_find_that_the_base_has_is_old_and_one_that_it_lacks_is_new(tmp_path: Path) -> None:
    """The shrunk case decides: both stale from 64 bytes on is old, the target from 32 on is new."""
    ground, _ = grounded(tmp_path, wide(TAIL), wide(TAIL))
    assert (reported(ground, SeededSearch()).line, len(list(tmp_path.rglob("*.json")))) == ("gate: yes", 0)
    ground, events = grounded(tmp_path, wide(TAIL, 32), wide(TAIL, 64))
    report = reported(ground, SeededSearch())
    assert (report.line, report.exit_code) == ("gate: no, 1 new", 1)
    (find,) = report.finds
    assert find.shown.finding.path.parent == tmp_path / "crashing"
    assert [s.page for s in find.shown.finding.case.segments] == [32]
    assert find.checks == {"search": report.checks[0].counts["finding"]}
    assert [type(event) for event in events].count(FindDecided) == 1


def test_a_base_that_shows_another_kind_on_the_case_excuses_nothing(tmp_path: Path) -> None:
    """A stale tail is new where the base damages a guard zone."""
    ground, _ = grounded(tmp_path, wide(TAIL), wide(GUARD))
    report = reported(ground, SeededSearch())
    assert report.new == 1
    assert "clobbered:guard" in report.finds[0].shown.reason


def test_a_launch_kind_is_old_wherever_the_base_shows_it(tmp_path: Path) -> None:
    """Refused from 32 bytes on is old where the base is refused from 64 on; a byte kind would be new."""
    ground, _ = grounded(tmp_path, wide(LAUNCH, 32), wide(LAUNCH, 64))
    assert reported(ground, SeededSearch()).verdict == "yes"
    ground, _ = grounded(tmp_path, wide(LAUNCH, 32), lambda case: PASSED)
    assert reported(ground, SeededSearch()).new == 1


def test_a_find_whose_shrinking_time_ended_is_not_judged_by_the_case_it_was_left_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How far it came is the machine's pace: the gate cannot say, unless there is no base, or any case will do."""
    monkeypatch.setattr(deciding, "SHRINK_SECONDS", 0.0)
    ground, _ = grounded(tmp_path, wide(TAIL, 32), wide(TAIL, 64))
    report = reported(ground, SeededSearch())
    (find,) = report.finds
    assert (find.shown.standing, find.shown.reason) == ("undecided", "shrinking it was cut short")
    assert (report.exit_code, report.checks[0].state) == (3, "cut short")
    ground, _ = grounded(tmp_path, wide(TAIL, 32))
    assert [find.shown.standing for find in reported(ground, SeededSearch()).finds] == ["new"]
    ground, _ = grounded(tmp_path, wide(LAUNCH, 32), wide(LAUNCH, 64))
    report = reported(ground, SeededSearch())
    assert (report.finds[0].shown.standing, report.exit_code) == ("old", 3), "what it would have met beside it is open"
    assert report.checks[0].words.endswith("; shrinking 1 finds was cut short")
    ground, _ = grounded(tmp_path, wide(LAUNCH, 32), lambda case: PASSED)
    assert [find.shown.standing for find in reported(ground, SeededSearch()).finds] == ["undecided"]


def test_without_a_base_every_find_is_new_and_that_is_said(tmp_path: Path) -> None:
    """No base, and a base that cannot be built."""
    for base, words in ((None, "no base was named"), (Broken("old", wide(TAIL)), "the base cannot be built")):
        ground, _ = grounded(tmp_path, wide(TAIL), base)
        report = reported(ground, LimitsCheck(), SeededSearch())
        assert report.base_trouble.startswith(words)
        assert [check.state for check in report.checks] == ["left out", "failed"]


def test_a_find_that_could_not_be_held_against_the_base_is_undecided(tmp_path: Path) -> None:
    """Time that is up is not the target's fault: the gate cannot say."""
    base = FakeWorker("old", wide(TAIL))
    ground, _ = grounded(tmp_path, wide(TAIL), base, files=(one_page(64),))

    def dying(*_: object, **__: object) -> Verdict:
        raise WorkerError("workers keep dying")

    base.attempt = dying
    report = reported(ground, CorpusFiles())
    assert [find.shown.standing for find in report.finds] == ["undecided"]
    assert (report.verdict, report.checks[0].state) == ("cannot say", "cut short")


def test_of_a_check_s_finds_those_that_are_shrunk_quickly_are_decided_first(tmp_path: Path) -> None:
    """Launches are old more often than not, by any case; what kills a worker takes the time of all others."""
    killed, refused = Verdict("finding", "faulted", "memory", lost=True), Verdict("finding", "rejected", "launch-y")
    kinds = (killed, refused, TAIL, PASSED)
    ground, events = grounded(
        tmp_path, lambda case: kinds[sum(s.page for s in case.segments) // 4 % 4], lambda _: PASSED
    )
    reported(ground, SeededSearch())
    told = [event.decided.finding.bucket for event in events if isinstance(event, FindDecided)]
    assert [bucket.kind for bucket in told] == ["stale", "rejected", "faulted"]


def test_a_find_is_held_against_the_base_before_it_is_replayed(tmp_path: Path) -> None:
    """Replays of what kills workers take all the time that is left, and what is new does not hang on them."""
    base = FakeWorker("old", lambda case: PASSED)
    ground, _ = grounded(tmp_path, wide(TAIL), base, files=(one_page(64),))
    theirs = base.attempt

    def while_there_is_time(case: Case, target: str, *, rehearse: bool = False) -> Verdict:
        if ground.hands.ran > 1:
            raise Abandoned
        return theirs(case, target, rehearse=rehearse)

    base.attempt = while_there_is_time
    assert [find.shown.standing for find in reported(ground, CorpusFiles()).finds] == ["new"]


def _either(case: Case) -> Verdict:
    """Two buckets, so that one find is decided after the other."""
    return {0: TAIL, 1: GUARD}.get(sum(s.page for s in case.segments) // 4 % 3, PASSED)


@pytest.mark.parametrize("runs", [0, 3, 24])
def test_a_find_is_not_lost_where_workers_die_while_it_is_decided(tmp_path: Path, runs: int) -> None:
    """New without a base and kept in a file, undecided with one; what kept it from being decided is the trouble."""
    ground, events = grounded(tmp_path, _either)
    dying_after(ground, runs)
    report = reported(ground, SeededSearch())
    assert (report.line, report.checks[0].state) == ("gate: no, 2 new", "failed")
    assert report.checks[0].words.endswith("; workers keep dying")
    assert report.checks[0].counts["finding"] == sum(find.checks["search"] for find in report.finds)
    assert len(list(tmp_path.rglob("*.json"))) == [type(event) for event in events].count(FindDecided) == 2
    ground, _ = grounded(tmp_path, _either, _either)
    dying_after(ground, runs)
    report = reported(ground, SeededSearch())
    assert (report.verdict, report.checks[0].state) == ("cannot say", "trouble")
    assert ("undecided", "workers keep dying") in {(find.shown.standing, find.shown.reason) for find in report.finds}


def test_what_the_base_lacks_is_new_also_where_workers_die_while_it_is_replayed(tmp_path: Path) -> None:
    """It was met and held against the base; that nobody showed it again is told as trouble."""
    ground, _ = grounded(tmp_path, wide(TAIL), lambda case: PASSED, files=(one_page(64),))
    dying_after(ground, 1)
    report = reported(ground, CorpusFiles())
    assert (report.line, report.checks[0].state) == ("gate: no, 1 new", "failed")
    assert (report.finds[0].shown.replays, report.finds[0].shown.trouble) == (None, "workers keep dying")
