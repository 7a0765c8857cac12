"""The find book with a fake crew: booking, shrinking, replaying, and disks that are full."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fuzz import codec
from fuzz.build import build
from fuzz.case import Case
from fuzz.control import Control
from fuzz.events import Report, Saved, Settled, Warned
from fuzz.findbook import FindBook
from fuzz.simplicity import order
from fuzz.source import Recorder
from fuzz.verdict import Bucket, Verdict
from fuzz.waiting import Abandoned

TAIL = Verdict("finding", "stale", "tail")
BUCKET = Bucket("t", "h200", "stale", "tail")


class FakeCrew:
    """Gives the verdicts of a function."""

    def __init__(self, verdict: Callable[[Case], Verdict]) -> None:
        self.verdict = verdict

    def attempt(self, case: Case, target: str, *, rehearse: bool = False) -> Verdict:
        return self.verdict(case)


def _book(folder: Path, verdict: Callable[[Case], Verdict], known: set[Bucket] = frozenset()) -> tuple:
    events: list = []
    report = Report(0)
    control = Control(60.0, None, stop_on_find=False)
    book = FindBook(report, folder, set(known), "h200", {"t": 4}, FakeCrew(verdict), control, events.append)
    return book, report, events


def _wide(case: Case) -> Verdict:
    return TAIL if any(s.page >= 64 for s in case.segments) else Verdict("passed")


def test_a_find_is_on_disk_before_it_is_shrunk(tmp_path: Path) -> None:
    """Saved first, then settled; the file then holds the smallest case, its origin kept."""
    book, report, events = _book(tmp_path, _wide)
    case = next(c for c in (build(Recorder(seed), "small") for seed in range(99)) if _wide(c) == TAIL)
    book.met(case, "t", "small", TAIL, count=1)
    (first,) = (tmp_path / "crashing").iterdir()
    assert codec.read(first).segments == case.segments
    book.settle()
    assert [type(event) for event in events] == [Saved, Settled]
    find = report.finds[BUCKET]
    assert find.replays == (10, 10)
    assert find.smallest
    assert codec.read(find.path).segments == find.case.segments
    assert [(s.page, s.stride, s.blocks) for s in find.case.segments] == [(64, 64, 1)]


def test_a_known_find_is_counted_and_left_alone(tmp_path: Path) -> None:
    """No file, no shrinking."""
    book, report, events = _book(tmp_path, _wide, {BUCKET})
    for seed in range(3):
        book.met(build(Recorder(seed), "small"), "t", "small", TAIL, count=1)
    book.settle()
    assert (report.finds[BUCKET].count, report.new_finds, events) == (3, 0, [])
    assert not (tmp_path / "crashing").exists()


def test_a_find_that_shows_now_and_then_is_unstable(tmp_path: Path) -> None:
    """It is filed under its own bucket, with the rate in the report, and is not shrunk again."""
    turns = iter([True, False] * 5000)
    book, report, events = _book(tmp_path, lambda case: TAIL if next(turns) else Verdict("passed"))
    case = build(Recorder(1), "small")
    book.met(case, "t", "small", TAIL, count=1)
    book.settle()
    find = report.finds[BUCKET]
    assert find.bucket == Bucket("t", "h200", "unstable", "")
    assert "stale:tail in 5 of 10 replays" in find.verdict.text
    assert [codec.read(path).finds for path in (tmp_path / "crashing").iterdir()] == [{"t@h200": "unstable"}]
    book.met(case, "t", "small", TAIL, count=1)
    book.settle()
    assert find.count == 2
    assert sum(isinstance(event, Settled) for event in events) == 1


def test_other_buckets_met_while_shrinking_are_finds_too(tmp_path: Path) -> None:
    """They count no case of the search."""

    def verdict(case: Case) -> Verdict:
        return _wide(case) if len(case.segments) > 1 else Verdict("finding", "clobbered", "guard")

    book, report, _ = _book(tmp_path, verdict)
    cases = (build(Recorder(seed), "small") for seed in range(99))
    book.met(next(c for c in cases if verdict(c) == TAIL), "t", "small", TAIL, count=1)
    book.settle()
    other = report.finds[BUCKET._replace(kind="clobbered", detail="guard")]
    assert (other.count, other.settled) == (0, True)
    assert len(list((tmp_path / "crashing").iterdir())) == 2


def test_a_full_disk_prints_the_find(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The case is in the warning whole, and the report remembers the trouble."""

    def full(*_: object) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("fuzz.corpus.keep", full)
    book, report, events = _book(tmp_path, _wide)
    case = build(Recorder(1), "small")
    book.met(case, "t", "small", TAIL, count=1)
    assert "No space left on device" in report.trouble
    assert isinstance(events[0], Warned)
    assert codec.encode(case) in events[0].text
    assert isinstance(events[1], Saved)
    assert events[1].find.path is None


def test_a_signal_stops_shrinking_at_once(tmp_path: Path) -> None:
    """A candidate that is given up ends it: the best case so far is kept, the find not settled, nothing replayed."""
    book, report, events = _book(tmp_path, _wide)
    runs = 0

    def abandoned(case: Case) -> Verdict:
        nonlocal runs
        runs += 1
        if runs == 3:
            book._control._signal = "SIGTERM"
            raise Abandoned
        return _wide(case)

    case = next(c for c in (build(Recorder(seed), "small") for seed in range(99)) if _wide(c) == TAIL)
    book.met(case, "t", "small", TAIL, count=1)
    book._hands = FakeCrew(abandoned)
    book.settle()
    find = report.finds[BUCKET]
    assert runs == 3
    assert (find.settled, find.smallest, find.replays) == (False, False, (0, 0))
    assert order(find.case) <= order(case)
    assert [type(event) for event in events] == [Saved, Settled]
    events.clear()
    again = FindBook(
        report, tmp_path, set(), "h200", {"t": 4}, FakeCrew(_wide), Control(60.0, None, stop_on_find=False),
        events.append,
    )  # fmt: skip
    again.settle()
    assert (find.settled, find.smallest, find.replays) == (True, True, (10, 10)), "a resumed run goes on with it"


def test_a_find_that_is_being_shrunk_keeps_its_case(tmp_path: Path) -> None:
    """Lanes go on meeting the bucket meanwhile: they are counted, and do not pull the case away."""
    book, report, _ = _book(tmp_path, _wide)
    cases = [c for c in (build(Recorder(seed), "small") for seed in range(200)) if _wide(c) == TAIL]
    cases.sort(key=order)

    def meets(case: Case) -> Verdict:
        book.met(cases[0], "t", "small", TAIL, count=1)
        return _wide(case)

    book._hands = FakeCrew(meets)
    book.met(cases[-1], "t", "small", TAIL, count=1)
    book.settle()
    find = report.finds[BUCKET]
    assert find.count > 10
    assert [(s.page, s.stride, s.blocks) for s in find.case.segments] == [(64, 64, 1)]
