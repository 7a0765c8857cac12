"""The corpus under a gate: every file must pass, and what the base shows of it is told."""

from __future__ import annotations

from pathlib import Path

from fuzz.errors import WorkerError
from fuzz.gate.checks.corpus_files import CorpusFiles
from fuzz.gate.checks.fixed import Fixed
from fuzz.gate.checks.portability import Portability
from fuzz.gate.events import FileTried
from fuzz.verdict import Verdict
from tests.gates import GUARD, LAUNCH, PASSED, TAIL, TAKEN, FakeWorker, dying_after, grounded, one_page, reported, wide


def test_what_a_change_mends_is_named_and_blocks_nothing(tmp_path: Path) -> None:
    """The base is wrong from 32 bytes on, the target from 128 on; what it declines or shows otherwise is not mended."""
    files = tuple(one_page(page) for page in (16, 32, 64, 128))
    ground, _ = grounded(tmp_path, wide(TAIL, 128), wide(TAIL, 32), files=files)
    (check,) = reported(ground, Fixed()).checks
    words = "on 4 of 4 files the base shows what the target does not: stale:tail in 2"
    assert (check.state, check.words) == ("information", words)
    ground, _ = grounded(tmp_path, lambda case: Verdict("declined"), wide(TAIL, 32), files=files)
    assert reported(ground, Fixed()).checks[0].words == "on 4 of 4 files the base shows nothing else"
    ground, _ = grounded(tmp_path, lambda case: PASSED, None, files=files)
    assert reported(ground, Fixed()).checks[0].state == "left out"


def test_a_corpus_file_is_run_on_the_base_once(tmp_path: Path) -> None:
    """Whichever checks ask for it: a launch find is held against all files, and what is mended is looked for in all."""
    base = FakeWorker("old", lambda case: LAUNCH if case.segments[0].page == 128 else PASSED)
    files = tuple(one_page(page) for page in (16, 32, 64, 128))
    ground, _ = grounded(tmp_path, wide(LAUNCH), base, files=files)
    corpus, fixed = reported(ground, CorpusFiles(), Fixed()).checks
    assert (corpus.state, corpus.counts, fixed.done) == ("passed", {"passed": 2, "finding": 2}, 4)
    assert base.ran == 4


def test_workers_that_die_under_information_block_nothing(tmp_path: Path) -> None:
    """It ends with the files before, or without a count of ids, and says so; the checks that ask had their say."""
    ground, _ = grounded(
        tmp_path, lambda case: PASSED, wide(TAIL, 32), files=(one_page(32), one_page(64), one_page(128))
    )
    left = iter([PASSED])

    def dying(*_: object, **__: object) -> Verdict:
        for verdict in left:
            return verdict
        raise WorkerError("workers keep dying")

    ground.hands.attempt = ground.hands.rehearsed = dying
    fixed, portability = reported(ground, Fixed(), Portability()).checks
    words = "on 1 of 3 files the base shows what the target does not: stale:tail in 1"
    assert (fixed.state, fixed.words) == ("information", words)
    assert (portability.state, "h200 was not counted to the end" in portability.words) == ("information", True)


def test_files_that_were_tried_before_workers_died_are_told(tmp_path: Path) -> None:
    """One find in three of five files: it blocks without a base, and the trouble stands beside it."""
    files = (one_page(8), one_page(64), one_page(128), one_page(256), one_page(512))
    ground, events = grounded(tmp_path, wide(TAIL), files=files)
    dying_after(ground, 13)
    (check,) = reported(ground, CorpusFiles()).checks
    assert check.words == "cut short at 3 of 5 cases: 1 passed, 2 finding; workers keep dying"
    assert (check.state, [one.standing for one in check.decided]) == ("failed", ["new", "new"])
    assert [event.label for event in events if isinstance(event, FileTried)] == ["passed", "stale:tail", "stale:tail"]
    ground, _ = grounded(tmp_path, wide(TAIL), wide(TAIL), files=files)
    dying_after(ground, 13)
    assert reported(ground, CorpusFiles()).checks[0].state == "trouble"


def test_time_that_is_up_cuts_the_corpus_short(tmp_path: Path) -> None:
    """Nothing is run after the ceiling, and that reads as no pass."""
    ground, _ = grounded(tmp_path, lambda case: PASSED, seconds=0.0, files=(one_page(4), one_page(8)))
    report = reported(ground, CorpusFiles())
    assert report.checks[0].words == "cut short at 0 of 2 cases"
    assert (ground.hands.ran, report.exit_code) == (0, 3)


def test_every_corpus_file_must_pass_whatever_its_finds_name(tmp_path: Path) -> None:
    """One file in two fails, the base passes it: new, with the file as its evidence."""
    ground, _ = grounded(tmp_path, wide(GUARD), lambda case: PASSED, files=(one_page(8), one_page(64)))
    report = reported(ground, CorpusFiles())
    assert report.checks[0].counts == {"passed": 1, "finding": 1}
    assert report.finds[0].shown.finding.path == tmp_path / "1.json"


def test_taken_hostile_input_blocks_only_if_asked(tmp_path: Path) -> None:
    """It is shown apart, and with --strict it is a find like others."""
    for strict, code in ((False, 0), (True, 1)):
        ground, _ = grounded(
            tmp_path, wide(TAKEN), lambda case: PASSED, strict=strict, files=(one_page(8), one_page(64))
        )
        report = reported(ground, CorpusFiles())
        assert report.exit_code == code
        assert report.finds[0].shown.standing == ("new" if strict else "accepted")
