"""The whole loop on planted faults: each in its bucket, counts that close, the run goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fuzz import codec
from tests.conftest import planted

BUCKETS = {
    "low_byte": "stale:tail",
    "stray_byte": "clobbered:guard",
    "null_pointer": "faulted:memory",
    "shifted_stride": "clobbered:table",
    "forgetful": "stale:whole page",
    "reclears": "clobbered:other block",
    "eats_ids": "clobbered:ids",
    "writes_ones": "wrong:head",
    "lazy": "skipped:none",
}


def _report(text: str) -> dict:
    report = json.loads(text)
    outcomes = ("passed", "declined", "unproved", "findings", "infra")
    assert report["attempted"] == sum(report[outcome] for outcome in outcomes)
    return report


@pytest.mark.parametrize(
    ("name", "engine"), [*((name, "simulator") for name in BUCKETS), ("null_pointer", "interpreter")]
)
def test_a_planted_fault_is_found_shrunk_and_replayed(kvzero: Callable, tmp_path: Path, name: str, engine: str) -> None:
    """From an empty corpus the fault's own bucket comes up; its file replays, and the right label is in it.

    A store through a null pointer kills the interpreter's worker; the simulator reports it and goes on.
    """
    target = planted(name)
    run = kvzero(
        "fuzz", "--target", target, "--profile", "small", "--seed", "1", "--stop-on-find", "--corpus", "found",
        "--engine", engine, "--json",
    )  # fmt: skip
    assert run.returncode == 1, run.stderr
    report = _report(run.stdout)
    finds = {find["bucket"]: find for find in report["finds"]}
    find = finds[f"{target}@h200 {BUCKETS[name]}"]
    assert find["count"] > 0
    path = tmp_path / find["case"]
    assert codec.read(path).finds == {f"{target}@h200": BUCKETS[name]}
    replay = f"kvzero replay {find['case']}"
    paragraph = [line for line in run.stderr.splitlines() if line == replay]
    assert len(paragraph) == 2, "the replay command stands first and last"
    again = kvzero("replay", find["case"], "--engine", engine)
    assert again.returncode == 1
    assert BUCKETS[name] in again.stderr


@pytest.mark.parametrize(("engine", "seconds"), [("interpreter", "30"), ("simulator", "20")])
def test_a_hang_ends_the_worker_only(kvzero: Callable, engine: str, seconds: str) -> None:
    """An endless loop becomes a find, and cases go on: in the standby, or in the worker that counted its rounds."""
    target = planted("endless")
    run = kvzero(
        "fuzz", "--target", target, "--profile", "small", "--seed", "13", "--seconds", seconds, "--corpus", "found",
        "--engine", engine, "--json",
    )  # fmt: skip
    assert run.returncode == 1, run.stderr
    report = _report(run.stdout)
    assert [find["bucket"] for find in report["finds"]] == [f"{target}@h200 hung"]
    assert report["findings"] >= 1


def test_a_target_that_hides_errors_gets_no_false_find(kvzero: Callable) -> None:
    """A bare except around a launch that is too long for the interpreter leaves the case unproved."""
    run = kvzero(
        "fuzz", "--target", planted("swallows"), "--profile", "far", "--cases", "60", "--seed", "1",
        "--corpus", "found", "--engine", "interpreter", "--json",
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert _report(run.stdout)["unproved"] > 0


def test_many_targets_in_one_run(kvzero: Callable) -> None:
    """A target that kills its worker and one that is right share a run; only one is guilty."""
    run = kvzero(
        "fuzz", "--target", planted("null_pointer"), "--target", planted("right"), "--profile", "small",
        "--cases", "20", "--seed", "3", "--corpus", "found", "--engine", "interpreter", "--json",
    )  # fmt: skip
    assert run.returncode == 1, run.stderr
    report = _report(run.stdout)
    assert report["attempted"] == 40
    assert report["stop_reason"] == "cases"
    assert {find["bucket"].split(" ")[0] for find in report["finds"]} == {f"{planted('null_pointer')}@h200"}


def test_the_same_seed_finds_the_same(kvzero: Callable) -> None:
    """Two runs of one seed and count agree in every number."""
    reports = []
    for corpus in ("a", "b"):
        run = kvzero(
            "fuzz", "--target", "page_table", "--profile", "small", "--cases", "15", "--seed", "5", "--no-known",
            "--corpus", corpus, "--engine", "simulator", "--workers", "1", "--json",
        )  # fmt: skip
        report = _report(run.stdout)
        reports.append([(find["bucket"], find["count"], Path(find["case"]).name) for find in report["finds"]])
    assert reports[0] == reports[1] != []
