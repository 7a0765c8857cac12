"""Searches of a gate: what is cut short or proves nothing is no pass, and a fresh seed only reports."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from fuzz.gate.checks.corpus_files import CorpusFiles
from fuzz.gate.checks.enumeration import Enumeration
from fuzz.gate.checks.seeded_search import FreshSearch, SeededSearch
from fuzz.gate.events import FindDecided
from fuzz.gate.ground import Found, Stretch
from fuzz.gate.reports.terminal import Terminal
from fuzz.gate.results import GateReport
from fuzz.messages import Batch
from fuzz.verdict import Verdict
from tests.gates import PASSED, TAIL, FakeWorker, grounded, one_page, reported, wide


def test_a_check_that_is_cut_short_is_no_pass(tmp_path: Path) -> None:
    """59 of 60 cases, all of them right: the gate cannot say, and exits with 3."""
    ground, _ = grounded(tmp_path, lambda case: PASSED, lambda case: PASSED, most=59)
    report = reported(ground, SeededSearch())
    assert report.checks[0].state == "cut short"
    assert report.line == "gate: cannot say, search: cut short at 59 of 60 cases: 59 passed"
    assert report.exit_code == 3


def test_a_find_of_a_check_that_is_cut_short_still_blocks(tmp_path: Path) -> None:
    """What was found is found."""
    ground, _ = grounded(tmp_path, wide(TAIL), lambda case: PASSED, most=59)
    assert reported(ground, SeededSearch()).exit_code == 1


def test_a_search_that_found_nothing_may_take_the_time_that_finds_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest is for shrinking what there is, and for the next check."""
    stretch, asked = FakeWorker.stretch, []

    def watched(worker: FakeWorker, request: Batch, until: Callable[[], float], on_found: Found) -> Stretch:
        done = stretch(worker, request, until, on_found)
        asked.append(round(until()))
        return done

    monkeypatch.setattr(FakeWorker, "stretch", watched)
    for target in (lambda case: PASSED, wide(TAIL)):
        ground, _ = grounded(tmp_path, target, lambda case: PASSED, seconds=100.0)
        reported(ground, SeededSearch())
    assert asked == [90, 70]


def test_what_nobody_can_run_is_not_proved(tmp_path: Path) -> None:
    """A target that declines all passes nothing."""
    ground, _ = grounded(tmp_path, lambda case: Verdict("declined"))
    assert reported(ground, SeededSearch()).checks[0].state == "nothing proved"


def test_a_gate_without_any_case_cannot_say() -> None:
    """Limits alone make no yes."""
    assert GateReport("new", None, "change", 0, "simulator", "CPU", "h200", {}).exit_code == 3


def test_a_fresh_seed_reports_and_never_blocks(tmp_path: Path) -> None:
    """What it finds is information, and does not make an earlier or later check fail."""
    ground, events = grounded(tmp_path, wide(TAIL, 64), lambda case: PASSED, files=(one_page(4),))
    report = reported(ground, CorpusFiles(), FreshSearch(9))
    assert report.verdict == "yes"
    told = [event.decided for event in events if isinstance(event, FindDecided)]
    assert [one.standing for one in told] == ["information"], "told as it is counted"
    assert [find.shown.standing for find in report.finds] == ["information"]
    assert ground.new == set()


def test_a_fresh_seed_s_find_is_shown_with_its_command_but_not_when_quiet(tmp_path: Path) -> None:
    """Whoever asked for the seed sees what it met, and no line says new above a yes."""
    for quiet in (False, True):
        ground, _ = grounded(tmp_path, wide(TAIL, 64), lambda case: PASSED, files=(one_page(4),))
        console = Console(record=True, file=io.StringIO(), soft_wrap=True)
        ground.tell = Terminal(quiet=quiet, console=console)
        reported(ground, CorpusFiles(), FreshSearch(9))
        text = console.export_text()
        assert ("new: " in text, "kvzero replay" in text, "gate: yes" in text) == (False, not quiet, True)


def test_the_enumeration_says_of_how_many(tmp_path: Path) -> None:
    """Fifty of a hundred thousand is what the gate has; the whole is named."""
    ground, _ = grounded(tmp_path, lambda case: PASSED)
    check = reported(ground, Enumeration()).checks[0]
    assert (check.state, check.done, check.of) == ("passed", 50, 50)
    assert check.words.endswith("the whole profile has 113060")
