"""The journal: what it holds comes back, in step, and what breaks it is said in words."""

from __future__ import annotations

import dataclasses
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.build import build
from fuzz.errors import JournalError
from fuzz.events import Find, Report
from fuzz.guided.chain import Grown
from fuzz.journal import Journal
from fuzz.source import Recorder
from fuzz.verdict import Bucket, Verdict, Wrong

MET = Bucket("my kernel.py:z", "h200", "stale", "whole page")
VERDICT = Verdict("finding", "stale", "whole page", "words", (Wrong(0, 4, "stale", "whole page"),), 4, ("(1,)",))


def _find(**changes: object) -> Find:
    find = Find(MET, build(Recorder(3), "small"), VERDICT, "small", 7, Path("c/crashing/x.json"), replays=(9, 10))
    return dataclasses.replace(find, **changes)


def test_what_was_recorded_comes_back(tmp_path: Path) -> None:
    """Counts are sums, finds are as they were last, facts can be taken back."""
    journal = Journal(tmp_path / "j")
    journal.batch((0, 256), 1, {"passed": 250, "finding": 6}, {"far": 2}, [(MET, _find())], {"seconds": 1.5})
    journal.batch((2, 600), 1, {"passed": 88, "infra": 0}, {"far": 1}, [(MET, _find(count=9))], {"trouble": "x"})
    journal.state({"trouble": None, "stop_reason": "time"})
    journal.close()
    report = Report(0)
    again = Journal(tmp_path / "j")
    again.restore(report)
    assert again.progress() == (1, {2: 600})
    assert (report.counts["passed"], report.counts["finding"], report.attempted) == (338, 6, 344)
    assert report.unproved_by_profile == {"far": 3}
    assert (report.seconds, report.stop_reason, report.trouble) == (1.5, "time", None)
    assert {met: dataclasses.asdict(find) for met, find in report.finds.items()} == {
        MET: dataclasses.asdict(_find(count=9))
    }


def test_what_epochs_kept_comes_back_in_order(tmp_path: Path) -> None:
    """Rows and hashes are as they were told; an epoch is recorded once."""
    journal = Journal(tmp_path / "j")
    told = [Grown(0, b"", "a"), Grown(1, b"\x00\xff", "b")]
    for one in told:
        journal.epoch(one)
    with pytest.raises(JournalError, match="UNIQUE"):
        journal.epoch(told[1])
    journal.close()
    assert Journal(tmp_path / "j").epochs() == told


def test_of_the_counted_pairs_the_newest_stay(tmp_path: Path) -> None:
    """They come back with their epoch; an epoch that counted none leaves them, and one that cannot be kept does too."""
    journal = Journal(tmp_path / "j")
    for one in (Grown(0, b"", "a", b"old"), Grown(1, b"", "b", b"new"), Grown(2, b"", "c")):
        journal.epoch(one)
    with pytest.raises(JournalError, match="UNIQUE"):
        journal.epoch(Grown(2, b"", "c", b"newer"))
    assert [one.seen for one in journal.epochs()] == [None, b"new", None]


def test_finds_that_became_one_stay_one(tmp_path: Path) -> None:
    """Two buckets filed under ``unstable`` share a find, so that its count is counted once."""
    journal = Journal(tmp_path / "j")
    one = _find(bucket=MET._replace(kind="unstable", detail=""))
    journal.finds([(MET, one), (MET._replace(detail="tail"), one)])
    report = Report(0)
    journal.restore(report)
    assert len(report.finds) == 2
    (find,) = report.distinct
    assert find.bucket == one.bucket


def test_a_journal_stays_small(tmp_path: Path) -> None:
    """A million attempts in order leave one row of facts and no slice."""
    journal = Journal(tmp_path / "j")
    for number in range(2000):
        journal.batch((number, 256 * (number + 1)), number + 1, {"passed": 256}, {}, [], {"seconds": number})
    journal.close()
    assert Journal(tmp_path / "j").progress() == (2000, {})
    assert (tmp_path / "j").stat().st_size < 64 * 1024


def test_a_batch_is_recorded_whole_or_not_at_all(tmp_path: Path) -> None:
    """A transaction that breaks in its last statement leaves counts and progress as they were."""
    journal = Journal(tmp_path / "j")
    journal.batch((0, 10), 0, {"passed": 10}, {}, [], {})
    with pytest.raises(JournalError, match="NOT NULL"):
        journal.batch((0, 20), 0, {"passed": 10}, {}, [(MET, _find(profile=None))], {})
    report = Report(0)
    journal.restore(report)
    assert (report.attempted, journal.progress()) == (10, (0, {0: 10}))


@pytest.mark.parametrize("first", [0, 4096])
def test_a_damaged_file_is_said_in_words(tmp_path: Path, first: int) -> None:
    """A torn header and a torn page are errors of ours that name the file."""
    journal = Journal(tmp_path / "j")
    journal.batch((5, 1300), 0, {"passed": 20}, {}, [(MET, _find())], {})
    journal.close()
    content = bytearray((tmp_path / "j").read_bytes())
    content[first : first + 1000] = b"\xa5" * 1000
    (tmp_path / "j").write_bytes(content)
    with pytest.raises(JournalError, match=f"journal={tmp_path}/j: .*--resume"):
        Journal(tmp_path / "j").restore(Report(0))


def test_a_full_disk_is_said_in_words(tmp_path: Path) -> None:
    """Where the file may not grow, recording fails as an error of ours, and what was recorded is still there."""
    script = (
        "from pathlib import Path; from fuzz.journal import Journal; journal = Journal(Path('j'))\n"
        "for number in range(10_000):\n"
        "    journal.batch((2 * number + 1, 0), 0, {'passed': 1}, {}, [], {})\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )  # fmt: skip
    assert run.returncode == 1
    assert "JournalError: journal=j: " in run.stderr
    assert run.returncode != -signal.SIGXFSZ
    report = Report(0)
    journal = Journal(tmp_path / "j")
    journal.restore(report)
    assert 0 < report.attempted == len(journal.progress()[1])
