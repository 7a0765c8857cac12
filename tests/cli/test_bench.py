"""Measurements run to their end, and their figures are of something."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from fuzz import messages
from fuzz.bench import fuzzer
from fuzz.bench.baseline_process import baselines
from fuzz.bench.together import seconds_together
from fuzz.errors import EngineError, UsageError
from tests.conftest import planted

QUICK = ("--rounds", "1", "--cases", "20", "--engine", "simulator")


def test_bench_engines(kvzero: Callable) -> None:
    """Both engines pass the fixed cases; the large launch is the one that was meant; the simulator is faster."""
    run = kvzero("bench", "engines", "--cases", "50", "--json")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    simulator, interpreter, large = report["rows"]
    assert (simulator["engine"], interpreter["engine"]) == ("simulator", "interpreter")
    assert simulator["cases"] == interpreter["cases"] == 50
    assert large["programs"] == 12_434_700
    assert large["bytes_cleared"] > 24e9
    assert report["speedup"] > 20
    assert report["machine"]["cores"] > 0


def test_bench_fuzzer(kvzero: Callable) -> None:
    """Four rows on one engine and one set, each of as many cases as it says, and ratios of those rows."""
    run = kvzero("bench", "fuzzer", "--json", "--workers", "2", *QUICK)
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    naive, given, one, together = report["rows"]
    assert [row["driver"] for row in report["rows"]] == ["naive", "given", "campaign", "campaign together"]
    assert [row["processes"] for row in report["rows"]] == [1, 1, 1, 2]
    assert [row["cases"] for row in report["rows"]] == [100, 20, 100, 200]
    assert all(0 < row["slowest"] <= row["cases_per_second"] <= row["fastest"] for row in report["rows"])
    assert given["mean_bytes"] > 4096
    assert (report["bench"], report["engine"], report["target"]) == ("fuzzer", "simulator", "masked_grid")
    assert report["cases"].keys() == {"count", "bytes", "segments", "ids", "targeted"}
    for name, ours, theirs in [
        ("speedup", one, naive),
        ("speedup_given", one, given),
        ("speedup_all", together, naive),
        ("speedup_all_given", together, given),
    ]:
        assert report[name] == pytest.approx(ours["cases_per_second"] / theirs["cases_per_second"], abs=0.01)


def test_bench_fuzzer_speaks_to_people(kvzero: Callable) -> None:
    """Without --json a line a row, and the ratios."""
    words = kvzero("bench", "fuzzer", "--workers", "1", *QUICK).stdout.splitlines()
    assert [line.split(",")[0] for line in words[:4]] == [
        "driver naive",
        "driver given",
        "driver campaign",
        "driver campaign together",
    ]
    assert [line.split()[0] for line in words[4:]] == [
        "speedup",
        "speedup_given",
        "speedup_all",
        "speedup_all_given",
    ]


@pytest.mark.parametrize(
    ("target", "code", "words"),
    [
        ("page_table", 3, "target=page_table: is found clobbered:"),
        ("KVBlockZeroer", 2, "takes a layout; the cases of this bench are tables"),
        ("no_such", 2, "no built-in target of that name"),
    ],
)
def test_bench_fuzzer_measures_only_what_is_right(kvzero: Callable, target: str, code: int, words: str) -> None:
    """A wrong target, one that takes no table, or none at all is refused with the reason."""
    run = kvzero("bench", "fuzzer", "--target", target, *QUICK)
    assert (run.returncode, run.stdout) == (code, "")
    assert words in run.stderr


@pytest.mark.parametrize("driver", ["naive", "given"])
@pytest.mark.parametrize("target", ["page_table", planted("lazy")])
def test_a_baseline_sees_wrong_bytes(driver: str, target: str) -> None:
    """A baseline that compares nothing would be fast; these see what was cleared too far, and what was not."""
    with baselines(target, "simulator") as others, pytest.raises(EngineError, match="leaves wrong bytes"):
        others.timed(driver, 200)


def test_a_baseline_says_why_it_ended() -> None:
    """A target that cannot be loaded, and a process that is gone."""
    with pytest.raises(UsageError, match="no_such"), baselines("no_such", "simulator"):
        pass
    with baselines("masked_grid", "simulator") as others:
        others._process._process.kill()
        others._process._process.wait()
        with pytest.raises(EngineError, match="the process ended"):
            others.timed("naive", 1)


def test_workers_that_fail_wait_for_nobody() -> None:
    """The trouble of one worker ends them all, and is told as it is."""
    with pytest.raises(EngineError, match="is found clobbered"):
        seconds_together("page_table", "simulator", 2, 20, 1, 1)


@pytest.mark.parametrize("gpus", [1, 4])
@pytest.mark.parametrize(("engine", "workers"), [("simulator", [1, 4, 32]), ("cuda", [1, 6, 14])])
def test_as_many_processes_as_the_search_has_on_one_gpu(
    monkeypatch: pytest.MonkeyPatch, engine: str, workers: list[int], gpus: int
) -> None:
    """Of 2, 8 and 64 cores; other GPUs count for nothing, since all processes are on the first."""
    opened = messages.Opened(engine, "x", "h200", {}, {"masked_grid": "table"}, gpus)
    monkeypatch.setattr(fuzzer, "crew_of", lambda targets, engine: nullcontext(SimpleNamespace(open=lambda: opened)))
    monkeypatch.setattr(fuzzer, "baselines", lambda target, engine: nullcontext())
    monkeypatch.setattr(fuzzer, "timed", lambda crew, cases: None)
    monkeypatch.setattr(fuzzer, "by_turns", lambda *_: [{"cases_per_second": 1.0}] * 3)
    monkeypatch.setattr(fuzzer, "seconds_together", lambda *_: [1.0])
    found = []
    for cores in (2, 8, 64):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, cores=cores: set(range(cores)))
        found.append(fuzzer.run([].append, target="masked_grid", cases=20)["rows"][-1]["processes"])
    assert found == workers


class _Sleeping:
    """A crew whose batches take 10 ms and say that they drew for 4 of them; baselines that take 20 ms."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def batch(self, request, on_found):
        self.asked.append("campaign")
        time.sleep(0.010)
        return messages.BatchDone(request.stop, {"passed": request.stop}, seconds={"generate": 0.004})

    def timed(self, driver, cases):
        self.asked.append(driver)
        return 0.020, 5000.0


def test_drivers_take_turns() -> None:
    """Each round asks all three, each after a warm-up; a part of a batch is a share of its time as seen from here."""
    fake = _Sleeping()
    naive, given, campaign = fuzzer.by_turns(fake, fake, cases=10, rounds=2)
    assert fake.asked == ["naive", "given", *(2 * (["naive"] * 5 + ["given"] + ["campaign"] * 5))]
    assert (naive["cases_per_second"], given["cases_per_second"], given["mean_bytes"]) == (500.0, 500.0, 5000)
    assert 0 < campaign["cases_per_second"] <= 1000
    assert campaign["shares"]["generate"] == pytest.approx(0.0004 * campaign["cases_per_second"], rel=0.01)
