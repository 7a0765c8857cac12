"""Campaigns that are killed, resumed, shared and broken: nothing is lost, nothing is counted twice."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fuzz import campaign_folder, codec
from fuzz.case import Call, Case, Segment
from fuzz.events import Find
from fuzz.guided import coverage
from fuzz.guided.epochs import epoch_of
from fuzz.guided.guide import Guide
from fuzz.guided.pool import decode
from fuzz.ids import Ids
from fuzz.journal import Journal
from fuzz.plan import Plan
from fuzz.verdict import Bucket, Verdict
from tests.conftest import planted

CASES = 900
SEARCH = (
    "fuzz", "--target", "lazy.py:zeroer", "--profile", "small", "--cases", str(CASES), "--seed", "3", "--engine",
    "simulator", "--json",
)  # fmt: skip


@pytest.fixture
def lazy(tmp_path: Path) -> None:
    """A target without a kernel, so that a search is quick: it leaves some blocks, and sometimes all."""
    (tmp_path / "lazy.py").write_text(
        "import ctypes\n"
        "from kvzero import Limits\n"
        "def zeroer(table, device):\n"
        "    def zero(ids):\n"
        "        for base, stride, page in zip(table.base, table.stride, table.page):\n"
        "            for block in ids[:4]:\n"
        "                ctypes.memset(int(base + block * stride), 0, int(page))\n"
        "    return zero\n"
        "zeroer.limits = Limits(segments=64)\n"
    )


def _begin(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "fuzz", *arguments],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def _attempted(folder: Path) -> int:
    try:
        with sqlite3.connect(f"file:{folder}/journal.sqlite?mode=ro", uri=True) as base:
            return base.execute("select coalesce(sum(count), 0) from counts").fetchone()[0]
    except sqlite3.Error:
        return 0


def _wait(condition: Callable[[], bool], run: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, "nothing came"
        assert run.poll() is None, run.communicate()
        time.sleep(0.01)


def _numbers(text: str) -> dict:
    report = json.loads(text)
    report["finds"] = {find["bucket"]: find["count"] for find in report["finds"] if find["count"]}
    kept = ("attempted", "passed", "declined", "unproved", "findings", "infra", "finds", "stop_reason", "seed")
    return {name: report[name] for name in kept}


@pytest.mark.usefixtures("lazy")
def test_kill_9_and_resume_count_like_one_run(kvzero: Callable, tmp_path: Path) -> None:
    """Killed with its workers at random moments, a campaign ends with the numbers of one that nobody disturbed."""
    whole = kvzero(*SEARCH, "--corpus", "whole", "--workers", "1")
    assert whole.returncode == 1, whole.stderr
    chance = random.Random()  # noqa: S311 - no secret
    arguments = (*SEARCH, "--corpus", "parts", "--workers", "2", "--dir", "campaign")
    for _ in range(3):
        run = _begin(tmp_path, *arguments)
        enough = _attempted(tmp_path / "campaign") + chance.randrange(CASES // 5)
        _wait(lambda: _attempted(tmp_path / "campaign") > enough, run)  # noqa: B023 - used at once
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        arguments = ("fuzz", "--resume", "campaign", "--json")
    end = kvzero(*arguments)
    assert end.returncode == 1, end.stderr
    stats = json.loads((tmp_path / "campaign" / "stats.json").read_text())
    assert (stats["attempted"], stats["stop_reason"], stats["workers"]) == (CASES, "cases", 2)
    assert len((tmp_path / "campaign" / "plot.csv").read_text().splitlines()) > 1
    assert _numbers(end.stdout) == _numbers(whole.stdout)
    assert _numbers(end.stdout)["attempted"] == CASES
    again = kvzero(*arguments)
    assert (again.returncode, again.stdout) == (1, end.stdout), "a finished campaign tells its report again"
    _keeps_what_an_undisturbed_run_keeps(tmp_path / "campaign", stats)
    for verb, words in (("merge", "cases added to c/coverage"), ("prune", "cases deleted from c/coverage")):
        folders = ("campaign",) if verb == "merge" else ()
        run = kvzero("corpus", verb, *folders, "--corpus", "c")
        assert (run.returncode, words in run.stdout) == (0, True), run.stderr
    assert list((tmp_path / "c" / "coverage").iterdir())


def _keeps_what_an_undisturbed_run_keeps(folder: Path, stats: dict) -> None:
    """Journal and files hold the pool that seed and profile decide, and the statistics say how much it shows."""
    guide = Guide(3, ("small",), 4)
    epochs = Journal(campaign_folder.find(folder, "x").journal).epochs()
    assert len(epochs) == epoch_of(CASES - 1) + 1
    assert decode(guide.at(CASES - 1).pool) == tuple(row for one in epochs for row in decode(one.rows))
    cases = coverage.kept_by(Journal(folder / "journal.sqlite"), 3)
    assert {path.name for path in (folder / "coverage").iterdir()} == set(map(codec.file_name, cases))
    assert stats["pairs"] == round(guide.cover, 1)


@pytest.mark.usefixtures("lazy")
def test_one_process_a_campaign(kvzero: Callable, tmp_path: Path) -> None:
    """A second process is refused with the number of the first; a signal then ends that one, and it can be resumed."""
    run = _begin(tmp_path, *SEARCH[:4], "small", "--seed", "3", "--hours", "1", "--json", "--dir", "campaign",
                 "--corpus", "found")  # fmt: skip
    _wait(lambda: _attempted(tmp_path / "campaign") > 0, run)
    assert json.loads(kvzero("status", "campaign", "--json").stdout)[0]["state"] == "running"
    second = kvzero("fuzz", "--resume", "campaign")
    assert second.returncode == 2
    assert f"process {run.pid} is at it" in second.stderr
    begun = time.monotonic()
    run.send_signal(signal.SIGTERM)
    report = json.loads(run.communicate()[0])
    assert time.monotonic() - begun < 10
    assert (run.returncode, report["stop_reason"]) == (1, "signal SIGTERM")
    assert report["attempted"] == _attempted(tmp_path / "campaign")
    (row,) = json.loads(kvzero("status", "campaign", "--json").stdout)
    assert (row["state"], row["attempted"], row["finds"]) == ("stopped", report["attempted"], len(report["finds"]))
    assert "signal SIGTERM" in kvzero("status", "campaign").stdout
    (tmp_path / "lazy.py").write_text((tmp_path / "lazy.py").read_text() + "# changed\n")
    assert "target=lazy.py:zeroer: its file changed" in _until_it_runs(tmp_path, "fuzz", "--resume", "campaign")


def test_a_worker_that_hangs_does_not_hold_up_a_signal(tmp_path: Path) -> None:
    """After five seconds it is ended, its batch is not counted, and the report is complete within ten."""
    run = _begin(tmp_path, "fuzz", "--target", planted("endless"), "--profile", "small", "--seed", "2", "--hours", "1",
                 "--engine", "interpreter", "--json", "--dir", "campaign", "--workers", "1",
                 "--corpus", "found")  # fmt: skip
    time_out = _hanging(tmp_path / "campaign" / "flight")
    _wait(time_out, run)
    begun = time.monotonic()
    run.send_signal(signal.SIGINT)
    report = json.loads(run.communicate()[0])
    assert time.monotonic() - begun < 10
    assert report["stop_reason"] == "signal SIGINT"
    assert report["findings"] == sum(find["count"] for find in report["finds"])


def _until_it_runs(folder: Path, *arguments: str) -> str:
    """What a run says until it searches; it is ended then."""
    before = _attempted(folder / "campaign")
    run = _begin(folder, *arguments)
    _wait(lambda: _attempted(folder / "campaign") > before, run)
    run.send_signal(signal.SIGINT)
    return run.communicate(timeout=60)[1]


def _hanging(slots: Path) -> Callable[[], bool]:
    from fuzz import flight

    def hanging() -> bool:
        states = filter(None, map(flight.read, slots.glob("*.slot")))
        return any(state.running and time.monotonic() - state.started > 1.5 for state in states)

    return hanging


@pytest.mark.usefixtures("lazy")
def test_a_journal_that_breaks_prints_the_finds(tmp_path: Path) -> None:
    """Exit 3 in words, and each find in full, so that nothing is lost that was known."""
    run = _begin(tmp_path, *SEARCH[:4], "small", "--seed", "3", "--hours", "1", "--dir", "campaign",
                 "--corpus", "found")  # fmt: skip
    _wait(lambda: _attempted(tmp_path / "campaign") > 0, run)
    for file in (tmp_path / "campaign").glob("journal.sqlite*"):
        with file.open("r+b") as damaged:
            damaged.write(b"\xa5" * file.stat().st_size)
    words = run.communicate(timeout=60)[1]
    assert run.returncode == 3, words
    assert "trouble: journal=" in words
    text = words[words.index("as it stands now\n{") :].split("\n", 1)[1]
    assert codec.decode(text[: text.index("\n}") + 2]).calls
    resumed = subprocess.run(
        [sys.executable, "-m", "fuzz", "fuzz", "--resume", "campaign"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert resumed.returncode == 3
    assert "journal=" in resumed.stderr
    assert "Traceback" not in resumed.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--dir", "there"), "dir=there: is there already; go on with it by --resume there"),
        (("--resume", "nowhere"), "is no campaign, plan.json: No such file"),
        (("--resume", "there"), "is no campaign, plan.json: No such file"),
        (("--resume", "there", "--seed", "0"), "goes on as it was begun, but --seed is given"),
        (("--workers", "0"), "Invalid value for '--workers'"),
        (("--workers", "2", "--cross-check", "5"), "workers=2: must be 1 with --cross-check"),
        (("--dir", "new", "--target", "takes.py:zeroer"), "takes='list': must be one of table, layout"),
    ],
)
def test_bad_input_exits_with_2(kvzero: Callable, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    """The message names option and way out, and no folder is left behind."""
    (tmp_path / "there").mkdir()
    (tmp_path / "takes.py").write_text("def zeroer(layout, device): ...\nzeroer.takes = 'list'\n")
    run = kvzero("fuzz", *arguments)
    assert run.returncode == 2, run.stderr
    assert words in run.stderr.replace(str(tmp_path) + "/", "").replace("\n", " ").replace("│", "")
    assert {path.name for path in tmp_path.iterdir()} <= {"there", "takes.py", "kvzero-corpus", "__pycache__"}


def _journaled(folder: Path, name: str, page: int, count: int) -> None:
    """A finished campaign of one find."""
    plan = Plan(("t.py:z",), ("small",), 7, folder / "corpus", cases=count + 5)
    made = campaign_folder.create(folder / name, plan)
    journal = Journal(made.journal)
    segment = Segment(base=0, blocks=1, page=page, stride=page)
    calls = (Call("zero", Ids.parse("0")),)
    case = Case(schema=1, domain="contract", guard=256, calls=calls, segments=(segment,))
    bucket = Bucket("t.py:z", "h200", "stale", "tail")
    find = Find(bucket, case, Verdict("finding", "stale", "tail"), "small", count, settled=True)
    journal.batch((0, count + 5), 1, {"passed": 5, "finding": count}, {}, [(bucket, find)], {"stop_reason": "cases"})
    journal.close()


def test_merge_adds_up(kvzero: Callable, tmp_path: Path) -> None:
    """One file a bucket with the smallest case, counts added, and the same again when it is run again."""
    _journaled(tmp_path, "a", 64, 3)
    _journaled(tmp_path, "b", 8, 4)
    runs = [kvzero("merge", "a", "b", "a", "--corpus", "c", "--json") for _ in range(2)]
    assert [run.returncode for run in runs] == [1, 1], runs[0].stderr
    assert runs[0].stdout == runs[1].stdout
    report = json.loads(runs[0].stdout)
    assert (report["attempted"], report["passed"], report["findings"]) == (17, 10, 7)
    ((path, count),) = [(find["case"], find["count"]) for find in report["finds"]]
    assert count == 7
    assert [str(file.relative_to(tmp_path)) for file in (tmp_path / "c" / "crashing").iterdir()] == [path]
    assert codec.read(tmp_path / path).segments[0].page == 8
    table = kvzero("status", "a", "b").stdout
    assert table.count("finished") == 2
    assert not (tmp_path / "a" / "stats.json").exists()


def test_corpus_verbs_refuse_folders_without_kept_cases(kvzero: Callable, tmp_path: Path) -> None:
    """Nothing to merge and nothing to prune are usage errors, and no folder is made."""
    for arguments in (("merge", "nowhere", "--corpus", "c"), ("prune", "--corpus", "c")):
        run = kvzero("corpus", *arguments)
        assert run.returncode == 2
        assert "kept case" in run.stderr or "no case in coverage" in run.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("verb", ["status", "merge"])
def test_foreign_folders_are_refused(kvzero: Callable, tmp_path: Path, verb: str) -> None:
    """A folder that is missing or none of ours is a usage error, and gets no journal."""
    (tmp_path / "mine").mkdir()
    for folder in ("mine", "missing"):
        run = kvzero(verb, folder)
        assert run.returncode == 2
        assert f"{verb}={folder}: is no campaign" in run.stderr
    assert not list((tmp_path / "mine").iterdir())


@pytest.mark.usefixtures("lazy")
def test_a_run_tells_what_became_of_open_finds(kvzero: Callable, tmp_path: Path) -> None:
    """After a repair the old find is fixed, shown apart, and the run is clean."""
    assert kvzero(*SEARCH, "--stop-on-find", "--corpus", "c").returncode == 1
    text = (tmp_path / "lazy.py").read_text()
    (tmp_path / "lazy.py").write_text(text.replace("ids[:4]", "ids"))
    run = kvzero(*SEARCH, "--cases", "40", "--corpus", "c")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["finds"] == []
    assert {one["state"] for one in report["open"]} == {"fixed"}
    assert f"open: {report['open'][0]['bucket']}: fixed" in run.stderr
