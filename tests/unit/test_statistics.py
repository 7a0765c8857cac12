"""Statistics and their files: numbers that add up, warnings said once, files that stay small."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from fuzz.events import Find, Report
from fuzz.messages import BatchDone
from fuzz.reports import stats_files
from fuzz.reports.stats_files import COLUMNS, StatsFiles
from fuzz.statistics import GROWTH, Statistics
from fuzz.verdict import Bucket, Verdict


def _numbers(seconds: float) -> dict:
    return dict.fromkeys(COLUMNS, 0) | {"seconds": seconds}


def test_shares_and_rates_add_up() -> None:
    """Shares are of what workers told; the rate of now is that of the last ten seconds."""
    report = Report(0)
    statistics = Statistics(report, 4, fast=False)
    statistics.add(1, BatchDone(0, {}, seconds={"generate": 1.0, "launch": 2.0}, memory=100))
    statistics.add(2, BatchDone(0, {}, seconds={"compare": 1.0}, memory=50))
    assert statistics.shares == {"generate": 0.25, "launch": 0.5, "compare": 0.25}
    for second in range(21):
        report.seconds = float(second)
        report.counts["passed"] = 10 * second if second < 10 else 100 + 100 * (second - 10)
        now = statistics.numbers(deaths=3)
    assert (now["rate_now"], now["rate_mean"], now["attempted"]) == (100.0, 55.0, 1100)
    assert (now["memory"], now["workers"], now["deaths"], now["seconds_since_find"]) == (150, 4, 3, None)
    bucket = Bucket("t", "h200", "stale", "tail")
    report.finds[bucket] = Find(bucket, None, Verdict("finding", "stale", "tail"), "small")
    assert statistics.numbers(0)["seconds_since_find"] == 0.0
    report.seconds = 27.5
    assert statistics.numbers(0)["seconds_since_find"] == 7.5


def test_warnings_are_said_once() -> None:
    """Slow, generating, leaking and unstable runs say so, and a run that is none of it says nothing."""
    fine = Report(0)
    statistics = Statistics(fine, 1, fast=True)
    fine.counts["passed"], fine.seconds = 10**6, 100.0
    assert list(statistics.warnings()) == []
    resumed = Statistics(fine, 1, fast=True, used=100.0)
    fine.seconds = 131.0
    assert "0 cases/s is slow" in next(resumed.warnings()), "what ran before the resume is no pace"
    report = Report(0)
    statistics = Statistics(report, 1, fast=True)
    report.counts["passed"], report.seconds = 10, 29.0
    statistics.add(1, BatchDone(0, {}, seconds={"generate": 2.0, "launch": 1.0}))
    assert list(statistics.warnings()) == [], "it is too early to tell"
    report.seconds = 31.0
    bucket = Bucket("t", "h200", "unstable", "")
    report.finds[bucket] = Find(bucket, None, Verdict("finding", "unstable"), "small")
    words = list(statistics.warnings())
    assert [word in " ".join(words) for word in ("half of the time", "is slow for", "not every replay")] == [True] * 3
    assert list(statistics.warnings()) == []


def test_a_search_that_shows_nothing_new_says_so() -> None:
    """After half an hour without a new pair of features; not where nothing was looked at meanwhile."""
    report = Report(0)
    statistics = Statistics(report, 1, fast=False)
    statistics.saw(900, 300)
    report.seconds = 1801.0
    statistics.saw(900, 400)
    assert list(statistics.warnings()) == [], "too few cases were looked at"
    statistics.saw(901, 900)
    report.seconds = 3602.0
    statistics.saw(901, 1400)
    assert list(statistics.warnings()) == []
    statistics.saw(901, 1412)
    assert "no new pair of features for 30 min" in next(statistics.warnings())


def test_a_worker_that_grows_is_replaced() -> None:
    """Measured from its least; its successor starts anew."""
    statistics = Statistics(Report(0), 1, fast=False)
    grown = [statistics.add(1, BatchDone(0, {}, memory=size)) for size in (9, 5, GROWTH + 5, GROWTH + 6, 7, GROWTH)]
    assert grown == [False, False, False, True, False, False]
    assert "grew by more than 2 GB" in next(statistics.warnings())


def test_files_are_whole_and_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plot halves its rows when there are too many, and goes on in longer steps, over a restart, too."""
    monkeypatch.setattr(stats_files, "MOST_ROWS", 20)
    files = StatsFiles(tmp_path)
    for second in range(0, 2000, 5):
        assert files.due(second)
        files.write(_numbers(second))
        assert not files.due(second + 0.9)
        if second == 1000:
            files = StatsFiles(tmp_path)
    header, *rows = (tmp_path / "plot.csv").read_text().splitlines()
    assert header == ",".join(COLUMNS)
    times = [float(row.split(",")[0]) for row in rows]
    assert 10 <= len(times) <= 20
    assert times[0] == 0.0
    assert {after - before for before, after in itertools.pairwise(times)} == {160.0}
    assert json.loads((tmp_path / "stats.json").read_text())["seconds"] == 1995
