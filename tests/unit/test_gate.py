"""The gate with fake workers: old and new, cut short, limits, waivers, budgets, and the verdict that follows."""

from __future__ import annotations

import datetime as dt
import io
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from fuzz import messages
from fuzz.build import numbered
from fuzz.case import Call, Case, Segment
from fuzz.corpus import Entry
from fuzz.errors import UsageError, WorkerError
from fuzz.gate import deciding, waivers
from fuzz.gate.base import Base
from fuzz.gate.ceiling import Ceiling
from fuzz.gate.checks.corpus_files import CorpusFiles
from fuzz.gate.checks.enumeration import Enumeration
from fuzz.gate.checks.fixed import Fixed
from fuzz.gate.checks.limits import NO_WARMUP, LimitsCheck, narrower
from fuzz.gate.checks.portability import Margin, Portability, margin
from fuzz.gate.checks.seeded_search import FreshSearch, SeededSearch
from fuzz.gate.events import Event, FileTried, FindDecided
from fuzz.gate.ground import Ground, Stretch
from fuzz.gate.reports.json_report import as_json
from fuzz.gate.reports.junit import JUnit
from fuzz.gate.reports.markdown import page
from fuzz.gate.reports.terminal import Terminal
from fuzz.gate.request import Request, Sizes, seed_of
from fuzz.gate.results import GateReport
from fuzz.gate.running import checked
from fuzz.ids import Ids
from fuzz.profiles.parts import guarded
from fuzz.target import beyond
from fuzz.verdict import Verdict
from kvzero.segments import Limits

PASSED = Verdict("passed")
TAIL = Verdict("finding", "stale", "tail")
GUARD = Verdict("finding", "clobbered", "guard", text="\x00 <b> | 4 bytes")
LAUNCH = Verdict("finding", "rejected", "launch-y")
TAKEN = Verdict("finding", "accepted", "negative-id")

AS_WIDE = "as wide as the base's"

Shows = Callable[[Case], Verdict]


class FakeWorker:
    """A target's workers, or a base's: verdicts are those of a function, and ``most`` cases of a stretch are run."""

    def __init__(
        self,
        name: str,
        shows: Shows,
        limits: Limits | None = None,
        most: int = 10**9,
        *,
        says: tuple[str, ...] = (),
        warmup: bool = False,
    ) -> None:
        self.shows = shows
        self.most = most
        self.ran = 0
        self.warmup = warmup
        limits = limits or Limits()
        self.opened = messages.Opened(
            "simulator", "CPU", "h200", {name: limits.unit}, {name: "table"}, 0, {name: limits}, {name: f"of {name}"},
            says={name: says},
        )  # fmt: skip

    def open(self) -> messages.Opened:
        return self.opened

    def attempt(self, case: Case, target: str, *, rehearse: bool = False) -> Verdict:
        self.ran += 1
        return self.shows(case)

    def rehearsed(self, case: Case, target: str) -> messages.Tried:
        verdict = self.shows(case)
        made = verdict.outcome != "declined"
        return messages.Tried(verdict, (), self.warmup if made else None)

    def tried(self, case: Case, target: str, *, rehearse: bool = False) -> messages.Tried:
        return self.rehearsed(case, target)

    def renew(self) -> None:
        pass

    def batch(self, request: messages.Batch, on_found: Callable[[messages.Found], None]) -> messages.BatchDone:
        done = self.stretch(request, 0.0, on_found)
        return messages.BatchDone(request.stop, done.counts)

    def stretch(self, request: messages.Batch, until: float, on_found: Callable[[messages.Found], None]) -> Stretch:
        counts: dict[str, int] = {}
        for index in range(request.first, min(request.stop, self.most)):
            case, profile = numbered(request.seed, index, request.profiles, request.unit)
            verdict = self.shows(case)
            counts[verdict.outcome] = counts.get(verdict.outcome, 0) + 1
            if verdict.outcome == "finding":
                on_found(messages.Found(index, "new", profile, case, verdict))
        return Stretch(sum(counts.values()), counts)


class Broken(FakeWorker):
    """A base that cannot be loaded."""

    def open(self) -> messages.Opened:
        raise UsageError("target='old': importing old.py raised ZeroDivisionError")


def _case(page: int) -> Case:
    segment = Segment(0, 1, page, page)
    call = Call("zero", Ids.of([0]))
    return guarded(Case(schema=1, domain="contract", guard=0, segments=(segment,), calls=(call,)))


def _ground(
    tmp_path: Path,
    target: Shows,
    base: Shows | FakeWorker | None = None,
    *,
    strict: bool = False,
    limits: Limits | None = None,
    most: int = 10**9,
    seconds: float = 60.0,
    files: tuple[Case, ...] = (),
) -> tuple[Ground, list[Event]]:
    events: list[Event] = []
    request = Request("new", "old", tmp_path, tmp_path, strict=strict)
    hands = FakeWorker("new", target, limits, most)
    worker = base if isinstance(base, FakeWorker) or base is None else FakeWorker("old", base)
    control = Ceiling(seconds)
    entries = tuple(Entry(tmp_path / f"{number}.json", "history", case) for number, case in enumerate(files))
    held = Base("old", worker, lambda: control.left)
    ground = Ground(request, hands.opened, hands, held, control, events.append, 5, Sizes(50, 60), entries)
    return ground, events


def _report(ground: Ground, *checks: object) -> GateReport:
    return checked(ground, checks, {"new": "a", "old": "b"})


def _wide(verdict: Verdict, page: int = 64) -> Shows:
    return lambda case: verdict if any(s.page >= page for s in case.segments) else PASSED


def test_a_launch_that_fails_where_the_base_s_does_not_is_new(tmp_path: Path) -> None:
    """Refused for wide pages, the base for narrow ones: no case in common; with one in common it is old."""
    refused = Verdict("finding", "rejected", "launch-z")
    many = lambda case: any(s.page >= 64 for s in case.segments)  # noqa: E731
    ours = lambda case: refused if many(case) else PASSED  # noqa: E731
    for theirs, line in (
        (lambda case: PASSED if many(case) else refused, "gate: no, 1 new"),
        (lambda case: refused if len(case.segments) > 1 else PASSED, "gate: yes"),
    ):
        ground, _ = _ground(tmp_path, ours, theirs)
        assert _report(ground, SeededSearch()).line == line


def test_a_find_that_the_base_has_is_old_and_one_that_it_lacks_is_new(tmp_path: Path) -> None:
    """The shrunk case decides: both stale from 64 bytes on is old, the target from 32 on is new."""
    ground, _ = _ground(tmp_path, _wide(TAIL), _wide(TAIL))
    assert (_report(ground, SeededSearch()).line, len(list(tmp_path.rglob("*.json")))) == ("gate: yes", 0)
    ground, events = _ground(tmp_path, _wide(TAIL, 32), _wide(TAIL, 64))
    report = _report(ground, SeededSearch())
    assert (report.line, report.exit_code) == ("gate: no, 1 new", 1)
    (find,) = report.finds
    assert find.shown.finding.path.parent == tmp_path / "crashing"
    assert [s.page for s in find.shown.finding.case.segments] == [32]
    assert find.checks == {"search": report.checks[0].counts["finding"]}
    assert [type(event) for event in events].count(FindDecided) == 1


def test_a_base_that_shows_another_kind_on_the_case_excuses_nothing(tmp_path: Path) -> None:
    """A stale tail is new where the base damages a guard zone."""
    ground, _ = _ground(tmp_path, _wide(TAIL), _wide(GUARD))
    report = _report(ground, SeededSearch())
    assert report.new == 1
    assert "clobbered:guard" in report.finds[0].shown.reason


def test_a_launch_kind_is_old_wherever_the_base_shows_it(tmp_path: Path) -> None:
    """Refused from 32 bytes on is old where the base is refused from 64 on; a byte kind would be new."""
    ground, _ = _ground(tmp_path, _wide(LAUNCH, 32), _wide(LAUNCH, 64))
    assert _report(ground, SeededSearch()).verdict == "yes"
    ground, _ = _ground(tmp_path, _wide(LAUNCH, 32), lambda case: PASSED)
    assert _report(ground, SeededSearch()).new == 1


def test_a_find_whose_shrinking_time_ended_is_not_judged_by_the_case_it_was_left_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How far it came is the machine's pace: the gate cannot say, unless there is no base, or any case will do."""
    monkeypatch.setattr(deciding, "SHRINK_SECONDS", 0.0)
    ground, _ = _ground(tmp_path, _wide(TAIL, 32), _wide(TAIL, 64))
    report = _report(ground, SeededSearch())
    (find,) = report.finds
    assert (find.shown.standing, find.shown.reason) == ("undecided", "shrinking it was cut short")
    assert (report.exit_code, report.checks[0].state) == (3, "cut short")
    ground, _ = _ground(tmp_path, _wide(TAIL, 32))
    assert [find.shown.standing for find in _report(ground, SeededSearch()).finds] == ["new"]
    ground, _ = _ground(tmp_path, _wide(LAUNCH, 32), _wide(LAUNCH, 64))
    report = _report(ground, SeededSearch())
    assert (report.finds[0].shown.standing, report.exit_code) == ("old", 3), "what it would have met beside it is open"
    assert report.checks[0].words.endswith("; shrinking 1 finds was cut short")
    ground, _ = _ground(tmp_path, _wide(LAUNCH, 32), lambda case: PASSED)
    assert [find.shown.standing for find in _report(ground, SeededSearch()).finds] == ["undecided"]


def test_without_a_base_every_find_is_new_and_that_is_said(tmp_path: Path) -> None:
    """No base, and a base that cannot be built."""
    for base, words in ((None, "no base was named"), (Broken("old", _wide(TAIL)), "the base cannot be built")):
        ground, _ = _ground(tmp_path, _wide(TAIL), base)
        report = _report(ground, LimitsCheck(), SeededSearch())
        assert report.base_trouble.startswith(words)
        assert [check.state for check in report.checks] == ["left out", "failed"]


def test_what_a_change_mends_is_named_and_blocks_nothing(tmp_path: Path) -> None:
    """The base is wrong from 32 bytes on, the target from 128 on; what it declines or shows otherwise is not mended."""
    files = tuple(_case(page) for page in (16, 32, 64, 128))
    ground, _ = _ground(tmp_path, _wide(TAIL, 128), _wide(TAIL, 32), files=files)
    (check,) = _report(ground, Fixed()).checks
    words = "on 4 of 4 files the base shows what the target does not: stale:tail in 2"
    assert (check.state, check.words) == ("information", words)
    ground, _ = _ground(tmp_path, lambda case: Verdict("declined"), _wide(TAIL, 32), files=files)
    assert _report(ground, Fixed()).checks[0].words == "on 4 of 4 files the base shows nothing else"
    ground, _ = _ground(tmp_path, lambda case: PASSED, None, files=files)
    assert _report(ground, Fixed()).checks[0].state == "left out"


def test_a_corpus_file_is_run_on_the_base_once(tmp_path: Path) -> None:
    """Whichever checks ask for it: a launch find is held against all files, and what is mended is looked for in all."""
    base = FakeWorker("old", lambda case: LAUNCH if case.segments[0].page == 128 else PASSED)
    files = tuple(_case(page) for page in (16, 32, 64, 128))
    ground, _ = _ground(tmp_path, _wide(LAUNCH), base, files=files)
    corpus, fixed = _report(ground, CorpusFiles(), Fixed()).checks
    assert (corpus.state, corpus.counts, fixed.done) == ("passed", {"passed": 2, "finding": 2}, 4)
    assert base.ran == 4


def test_workers_that_die_under_information_block_nothing(tmp_path: Path) -> None:
    """It ends with the files before, or without a count of ids, and says so; the checks that ask had their say."""
    ground, _ = _ground(tmp_path, lambda case: PASSED, _wide(TAIL, 32), files=(_case(32), _case(64), _case(128)))
    left = iter([PASSED])

    def dying(*_: object, **__: object) -> Verdict:
        for verdict in left:
            return verdict
        raise WorkerError("workers keep dying")

    ground.hands.attempt = ground.hands.rehearsed = dying
    fixed, portability = _report(ground, Fixed(), Portability()).checks
    words = "on 1 of 3 files the base shows what the target does not: stale:tail in 1"
    assert (fixed.state, fixed.words) == ("information", words)
    assert (portability.state, "h200 was not counted to the end" in portability.words) == ("information", True)


def test_a_check_that_is_cut_short_is_no_pass(tmp_path: Path) -> None:
    """59 of 60 cases, all of them right: the gate cannot say, and exits with 3."""
    ground, _ = _ground(tmp_path, lambda case: PASSED, lambda case: PASSED, most=59)
    report = _report(ground, SeededSearch())
    assert report.checks[0].state == "cut short"
    assert report.line == "gate: cannot say, search: cut short at 59 of 60 cases: 59 passed"
    assert report.exit_code == 3


def test_a_find_of_a_check_that_is_cut_short_still_blocks(tmp_path: Path) -> None:
    """What was found is found."""
    ground, _ = _ground(tmp_path, _wide(TAIL), lambda case: PASSED, most=59)
    assert _report(ground, SeededSearch()).exit_code == 1


def test_a_find_that_could_not_be_held_against_the_base_is_undecided(tmp_path: Path) -> None:
    """Time that is up is not the target's fault: the gate cannot say."""
    base = FakeWorker("old", _wide(TAIL))
    ground, _ = _ground(tmp_path, _wide(TAIL), base, files=(_case(64),))

    def dying(*_: object, **__: object) -> Verdict:
        raise WorkerError("workers keep dying")

    base.attempt = dying
    report = _report(ground, CorpusFiles())
    assert [find.shown.standing for find in report.finds] == ["undecided"]
    assert (report.verdict, report.checks[0].state) == ("cannot say", "cut short")


def _dying_after(ground: Ground, runs: int) -> None:
    """The target's workers run so many cases one by one, and then keep dying."""
    attempt, left = ground.hands.attempt, iter(range(runs))

    def dying(case: Case, target: str, *, rehearse: bool = False) -> Verdict:
        if next(left, None) is None:
            raise WorkerError("workers keep dying")
        return attempt(case, target, rehearse=rehearse)

    ground.hands.attempt = dying


def _either(case: Case) -> Verdict:
    """Two buckets, so that one find is decided after the other."""
    return {0: TAIL, 1: GUARD}.get(sum(s.page for s in case.segments) // 4 % 3, PASSED)


@pytest.mark.parametrize("runs", [0, 3, 24])
def test_a_find_is_not_lost_where_workers_die_while_it_is_decided(tmp_path: Path, runs: int) -> None:
    """New without a base and kept in a file, undecided with one; what kept it from being decided is the trouble."""
    ground, events = _ground(tmp_path, _either)
    _dying_after(ground, runs)
    report = _report(ground, SeededSearch())
    assert (report.line, report.checks[0].state) == ("gate: no, 2 new", "failed")
    assert report.checks[0].words.endswith("; workers keep dying")
    assert report.checks[0].counts["finding"] == sum(find.checks["search"] for find in report.finds)
    assert len(list(tmp_path.rglob("*.json"))) == [type(event) for event in events].count(FindDecided) == 2
    ground, _ = _ground(tmp_path, _either, _either)
    _dying_after(ground, runs)
    report = _report(ground, SeededSearch())
    assert (report.verdict, report.checks[0].state) == ("cannot say", "trouble")
    assert ("undecided", "workers keep dying") in {(find.shown.standing, find.shown.reason) for find in report.finds}


def test_files_that_were_tried_before_workers_died_are_told(tmp_path: Path) -> None:
    """One find in three of five files: it blocks without a base, and the trouble stands beside it."""
    files = (_case(8), _case(64), _case(128), _case(256), _case(512))
    ground, events = _ground(tmp_path, _wide(TAIL), files=files)
    _dying_after(ground, 13)
    (check,) = _report(ground, CorpusFiles()).checks
    assert check.words == "cut short at 3 of 5 cases: 1 passed, 2 finding; workers keep dying"
    assert (check.state, [one.standing for one in check.decided]) == ("failed", ["new", "new"])
    assert [event.label for event in events if isinstance(event, FileTried)] == ["passed", "stale:tail", "stale:tail"]
    ground, _ = _ground(tmp_path, _wide(TAIL), _wide(TAIL), files=files)
    _dying_after(ground, 13)
    assert _report(ground, CorpusFiles()).checks[0].state == "trouble"


def test_time_that_is_up_cuts_the_corpus_short(tmp_path: Path) -> None:
    """Nothing is run after the ceiling, and that reads as no pass."""
    ground, _ = _ground(tmp_path, lambda case: PASSED, seconds=0.0, files=(_case(4), _case(8)))
    report = _report(ground, CorpusFiles())
    assert report.checks[0].words == "cut short at 0 of 2 cases"
    assert (ground.hands.ran, report.exit_code) == (0, 3)


def test_what_nobody_can_run_is_not_proved(tmp_path: Path) -> None:
    """A target that declines all passes nothing."""
    ground, _ = _ground(tmp_path, lambda case: Verdict("declined"))
    assert _report(ground, SeededSearch()).checks[0].state == "nothing proved"


def test_a_gate_without_any_case_cannot_say() -> None:
    """Limits alone make no yes."""
    assert GateReport("new", None, "change", 0, "simulator", "CPU", "h200", {}).exit_code == 3


def test_every_corpus_file_must_pass_whatever_its_finds_name(tmp_path: Path) -> None:
    """One file in two fails, the base passes it: new, with the file as its evidence."""
    ground, _ = _ground(tmp_path, _wide(GUARD), lambda case: PASSED, files=(_case(8), _case(64)))
    report = _report(ground, CorpusFiles())
    assert report.checks[0].counts == {"passed": 1, "finding": 1}
    assert report.finds[0].shown.finding.path == tmp_path / "1.json"


def test_taken_hostile_input_blocks_only_if_asked(tmp_path: Path) -> None:
    """It is shown apart, and with --strict it is a find like others."""
    for strict, code in ((False, 0), (True, 1)):
        ground, _ = _ground(tmp_path, _wide(TAKEN), lambda case: PASSED, strict=strict, files=(_case(8), _case(64)))
        report = _report(ground, CorpusFiles())
        assert report.exit_code == code
        assert report.finds[0].shown.standing == ("new" if strict else "accepted")


def test_narrower_limits_are_refused(tmp_path: Path) -> None:
    """Each field by itself; wider ones are none of the gate's business."""
    assert narrower(Limits(unit=1), Limits(segments=4)) == []
    assert narrower(Limits(segments=4), Limits(segments=5)) == ["segments=4, the base's is 5"]
    fields = [Limits(unit=8), Limits(segments=4), Limits(ids=4), Limits(page=4), Limits(uniform=True)]
    assert all(narrower(new, Limits()) and not narrower(Limits(), new) for new in fields)
    ground, _ = _ground(tmp_path, lambda case: PASSED, lambda case: PASSED, limits=Limits(ids=7))
    report = _report(ground, LimitsCheck(), SeededSearch())
    assert report.line == "gate: no, limits are narrower than the base's: ids=7, the base's is None"


@pytest.mark.parametrize(
    ("new", "base", "words"),
    [
        ((), ("virtual", "capturable"), "capturable=False, the base's is True"),
        (("newer_form",), (), "newer_form=True, the base's is False"),
        (("virtual", "capturable"), ("newer_form",), ""),
        (("virtual",), ("virtual",), ""),
    ],
)
def test_a_target_that_says_less_than_its_base_is_refused(
    tmp_path: Path, new: tuple[str, ...], base: tuple[str, ...], words: str
) -> None:
    """What it leaves unsaid has cases declined that the base takes; saying more is nobody's business."""
    ground, _ = _ground(tmp_path, lambda case: PASSED, FakeWorker("old", lambda case: PASSED, says=base))
    ground.opened = FakeWorker("new", lambda case: PASSED, says=new).opened
    check = _report(ground, LimitsCheck()).checks[0]
    assert check.state == ("failed" if words else "passed")
    assert not words or check.words == f"limits are narrower than the base's: {words}"


def test_a_target_that_is_no_longer_virtual_is_told_of(tmp_path: Path) -> None:
    """Nothing is declined for it, and on a GPU nothing is lost."""
    ground, _ = _ground(tmp_path, lambda case: PASSED, FakeWorker("old", lambda case: PASSED, says=("virtual",)))
    check = _report(ground, LimitsCheck()).checks[0]
    assert (check.state, check.words.startswith(f"{AS_WIDE}; it does not say virtual")) == ("passed", True)


def test_a_target_that_drops_its_base_s_warm_up_is_refused(tmp_path: Path) -> None:
    """Without it no variant that a call compiles is a find; the simplest file that both take tells."""
    takes = lambda case: Verdict("declined") if case.segments[0].page < 8 else PASSED  # noqa: E731
    files = (_case(64), _case(4), _case(16))
    for ours, theirs, state in ((False, True, "failed"), (True, False, "passed"), (True, True, "passed")):
        ground, _ = _ground(tmp_path, takes, FakeWorker("old", takes, warmup=theirs), files=files)
        ground.hands.warmup = ours
        check = _report(ground, LimitsCheck()).checks[0]
        assert check.state == state
        assert check.words == (NO_WARMUP if state == "failed" else AS_WIDE)


def test_warm_ups_that_nobody_tells_of_are_said_to_be_open(tmp_path: Path) -> None:
    """No file that both take, a constructor that raises, workers that die: the limits alone are compared."""
    raises = lambda case: Verdict("finding", "rejected", "constructor")  # noqa: E731
    open_words = f"{AS_WIDE}; whether both have a warm-up was not found out"
    for files in ((), (_case(64),)):
        ground, _ = _ground(tmp_path, lambda case: Verdict("declined"), lambda case: PASSED, files=files)
        assert _report(ground, LimitsCheck()).checks[0].words == open_words
    ground, _ = _ground(tmp_path, raises, lambda case: PASSED, files=(_case(64),))
    ground.hands.warmup = None
    assert _report(ground, LimitsCheck()).checks[0].words == open_words
    ground, _ = _ground(tmp_path, raises, lambda case: PASSED, files=(_case(64),))

    def dying(case: Case, target: str) -> messages.Tried:
        raise WorkerError("workers keep dying")

    ground.hands.rehearsed = dying
    check = _report(ground, LimitsCheck()).checks[0]
    assert (check.state, check.words) == ("passed", open_words)


def test_a_fresh_seed_reports_and_never_blocks(tmp_path: Path) -> None:
    """What it finds is information, and does not make an earlier or later check fail."""
    ground, events = _ground(tmp_path, _wide(TAIL, 64), lambda case: PASSED, files=(_case(4),))
    report = _report(ground, CorpusFiles(), FreshSearch(9))
    assert report.verdict == "yes"
    told = [event.decided for event in events if isinstance(event, FindDecided)]
    assert [one.standing for one in told] == ["information"], "told as it is counted"
    assert [find.shown.standing for find in report.finds] == ["information"]
    assert ground.new == set()


def test_a_fresh_seed_s_find_is_shown_with_its_command_but_not_when_quiet(tmp_path: Path) -> None:
    """Whoever asked for the seed sees what it met, and no line says new above a yes."""
    for quiet in (False, True):
        ground, _ = _ground(tmp_path, _wide(TAIL, 64), lambda case: PASSED, files=(_case(4),))
        console = Console(record=True, file=io.StringIO(), soft_wrap=True)
        ground.tell = Terminal(quiet=quiet, console=console)
        _report(ground, CorpusFiles(), FreshSearch(9))
        text = console.export_text()
        assert ("new: " in text, "kvzero replay" in text, "gate: yes" in text) == (False, not quiet, True)


def test_the_enumeration_says_of_how_many(tmp_path: Path) -> None:
    """Fifty of a hundred thousand is what the gate has; the whole is named."""
    ground, _ = _ground(tmp_path, lambda case: PASSED)
    check = _report(ground, Enumeration()).checks[0]
    assert (check.state, check.done, check.of) == ("passed", 50, 50)
    assert check.words.endswith("the whole profile has 113060")


def test_the_seed_is_what_the_two_are_made_of() -> None:
    """The same contents give the same seed, any other another."""
    assert seed_of("a", "b") == seed_of("a", "b")
    assert len({seed_of("a", "b"), seed_of("b", "a"), seed_of("a", ""), seed_of("c", "b")}) == 4


def test_a_shorter_gate_has_the_first_of_the_same_cases() -> None:
    """Less time asks for as much fewer cases, in whole ones, loading left out; more time asks for no more."""
    sizes = {("change", "simulator"): Sizes(100, 61), ("batch", "simulator"): Sizes(1000, 600, 7)}
    asked = partial(Request, "a", None, Path(), Path(), sizes=sizes)
    assert asked().sizes_on("simulator") == asked(seconds=180).sizes_on("simulator") == (100, 61, 0)
    assert asked(seconds=34).sizes_on("simulator") == (50, 31, 0)  # half of what is left when all is loaded
    assert asked(seconds=1).sizes_on("simulator") == asked(seconds=8).sizes_on("simulator") == (2, 2, 0)
    assert asked(mode="batch", seconds=67.2).sizes_on("simulator") == (100, 60, 1)
    assert asked().sizes_on("cuda") == (0, 0, 0)


def test_a_short_gate_starts_few_workers() -> None:
    """Loading another one takes as long as thousands of cases; a long gate takes all that the machine bears."""
    asked = partial(Request, "a", None, Path(), Path())
    assert [asked(seconds=seconds).lanes_on("cuda") for seconds in (0.1, 12, 60)] == [1, 1, 3]
    assert asked(mode="batch").lanes_on("cuda") == 95
    assert [asked(seconds=seconds).lanes_on("simulator") for seconds in (5, 60)] == [1, 9]


def test_a_waived_find_is_shown_and_does_not_block(tmp_path: Path) -> None:
    """The owner stands beside it; a find of another bucket blocks as before."""
    waiver = waivers.Waiver("stale:tail", "known", "https://example.org/1", "ann", dt.date(2100, 1, 1))
    ground, events = _ground(tmp_path, _wide(TAIL), lambda case: PASSED)
    ground.waivers = {"stale:tail": waiver, "wrong:head": waiver}
    report = _report(ground, SeededSearch())
    assert report.verdict == "yes"
    assert (report.finds[0].shown.standing, "ann" in report.finds[0].shown.reason) == ("waived", True)
    assert any("wrong:head was not met" in getattr(event, "text", "") for event in events)
    ground, _ = _ground(tmp_path, _wide(TAIL), _wide(TAIL))
    ground.waivers = {"stale:tail": waiver}
    assert _report(ground, SeededSearch()).finds[0].shown.standing == "old"
    ground, _ = _ground(tmp_path, _wide(GUARD), lambda case: PASSED)
    ground.waivers = {"stale:tail": waiver}
    assert _report(ground, SeededSearch()).verdict == "no"


TOML = """[[waivers]]
bucket = "stale:tail"
reason = "known"
link = "https://example.org/1"
owner = "ann"
expires = 2030-01-02
"""


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("2030-01-02", "2029-12-31", "stale:tail of ann has expired"),
        ('"stale:tail"', '"stall:tail"', "must be kind or kind:detail"),
        ('"ann"', '" "', "owner: is empty"),
        ("owner = ", "owners = ", "unknown field `owners`"),
        ("2030-01-02", '"soon"', "Invalid RFC3339"),
        ("[[waivers]]", "[[waivers]", "each waiver has bucket, reason, link, owner, expires"),
    ],
)
def test_a_waiver_that_is_no_good_is_named(tmp_path: Path, before: str, after: str, words: str) -> None:
    """Expired, malformed, or half said: the file and the waiver stand in the error."""
    path = tmp_path / "waivers.toml"
    path.write_text(TOML)
    assert list(waivers.read(path, dt.date(2030, 1, 2))) == ["stale:tail"]
    path.write_text(TOML.replace(before, after))
    with pytest.raises(UsageError, match=f"waivers={path}.*{words}"):
        waivers.read(path, dt.date(2030, 1, 1))


def test_waivers_may_be_json_and_only_once(tmp_path: Path) -> None:
    """The same fields; a bucket that is there twice is refused."""
    one = {"bucket": "hung", "reason": "r", "link": "l", "owner": "o", "expires": "2030-01-02"}
    path = tmp_path / "waivers.json"
    path.write_text(json.dumps({"waivers": [one]}))
    assert waivers.read(path, dt.date(2030, 1, 1))["hung"].expires == dt.date(2030, 1, 2)
    path.write_text(json.dumps({"waivers": [one, one]}))
    with pytest.raises(UsageError, match="is there twice"):
        waivers.read(path, dt.date(2030, 1, 1))


def test_junit_and_markdown_hold_whatever_a_target_says(tmp_path: Path) -> None:
    """Characters that XML cannot hold, and those that would break a table."""
    ground, _ = _ground(tmp_path, _wide(GUARD), lambda case: PASSED, files=(_case(8), _case(64)))
    path = tmp_path / "gate.xml"
    ground.tell = JUnit(path)
    report = _report(ground, LimitsCheck(), CorpusFiles(), SeededSearch())
    root = ET.parse(path).getroot()  # noqa: S314 - we wrote it
    assert (root.tag, [suite.get("tests") for suite in root]) == ("testsuites", ["2", "4"])
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("6", "4", "0")
    failed = {case.get("name") for case in root.iter("testcase") if case.find("failure") is not None}
    assert failed == {"1.json", "corpus", "search", "verdict"}
    assert "kvzero replay" in next(root.iter("failure")).text
    text = page(report)
    assert "## gate: no, 1 new" in text
    assert "`new@h200 clobbered:guard` | new |" in text


def test_json_tells_all_but_times_alike(tmp_path: Path) -> None:
    """Two gates of one tree differ in seconds alone."""

    def bare() -> dict:
        ground, _ = _ground(tmp_path, _wide(TAIL, 32), _wide(TAIL), files=(_case(8), _case(64)))
        text = as_json(_report(ground, LimitsCheck(), CorpusFiles(), Enumeration(), SeededSearch()))
        return json.loads(text, object_hook=lambda one: {k: v for k, v in one.items() if k != "seconds"})

    first = bare()
    assert first == bare()
    assert first["verdict"] == "no"


def _counted(tmp_path: Path, limits: Limits, grids: tuple, shows: Shows = lambda case: PASSED) -> str:
    """What portability says of a target that asks for such grids for each case within its limits."""
    ground, _ = _ground(tmp_path, shows, limits=limits)

    def rehearsed(case: Case, target: str) -> messages.Tried:
        words = beyond(limits, case)
        return messages.Tried(Verdict("declined", text=words)) if words else messages.Tried(shows(case), grids)

    ground.hands.rehearsed = rehearsed
    return _report(ground, Portability()).checks[0].words


@pytest.mark.parametrize(
    ("limits", "page"), [(Limits(), 65536), (Limits(unit=16, page=40_008), 40_000), (Limits(unit=32, page=32), 32)]
)
def test_ids_are_counted_on_a_page_that_the_target_takes(tmp_path: Path, limits: Limits, page: int) -> None:
    """A whole number of its units; what it declines has no grids, and would read as taken by all devices."""
    words = _counted(tmp_path, limits, ((1, 1, 1, 4),))
    assert words.startswith(f"64 segments of {page} bytes: h200 takes 131072 ids and more")


@pytest.mark.parametrize(
    ("limits", "shows", "words"),
    [
        (Limits(), lambda case: PASSED, "nothing was launched through Triton"),
        (
            Limits(),
            lambda case: Verdict("finding", "rejected", "constructor"),
            "a call of one id shows rejected:constructor",
        ),
        (Limits(unit=64, page=40), lambda case: PASSED, "declined: a page wider than page=40"),
    ],
)
def test_a_target_that_launches_nothing_has_no_count_of_ids(
    tmp_path: Path, limits: Limits, shows: Shows, words: str
) -> None:
    """No launch is no evidence: torch alone, a constructor that raises, limits that no page keeps."""
    assert _counted(tmp_path, limits, (), shows).endswith(f" bytes: {words}")


def test_ids_are_counted_to_the_last_that_a_device_takes() -> None:
    """A grid of ids on y ends at 65,535 on CUDA; time that is up ends counting without a figure."""
    launched = lambda ids: ((1, ids, 1, 4),)  # noqa: E731
    assert margin(launched, "h200", 2**17)[0] == 65_535
    assert margin(launched, "h200", 2**17).ruling.detail == "launch-y"
    assert margin(launched, "h200", 60_000) == Margin(60_000, None)
    assert margin(launched, "ascend910b", 2**17).ruling.detail == "launch-product"
    assert margin(lambda ids: None, "h200", 2**17) is None
