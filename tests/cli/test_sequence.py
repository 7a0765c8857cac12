"""A fault that takes two cases in one process, written down by hand: replayed, shrunk, explained and accepted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from fuzz import codec
from fuzz.build import numbered
from fuzz.case import Call, Case, Segment
from fuzz.flight import InFlight, sequence_of
from fuzz.ids import Ids
from fuzz.profiles.parts import guarded
from tests.cli.test_plugin import in_pytest
from tests.conftest import planted

TARGET = planted("remembers")


def _pages(*pages: int) -> Case:
    segments = tuple(Segment(4096 * index, 4, page, 512) for index, page in enumerate(pages))
    return guarded(Case(domain="contract", guard=0, segments=segments, calls=(Call("zero", Ids.parse("0,2")),)))


def _sequence(*members: Case) -> Case:
    return sequence_of([InFlight(0, "t", "small", one) for one in members], "t")


@pytest.fixture
def written(tmp_path: Path) -> str:
    """A file of nine cases; the last one has as many segments as the fourth, and wider pages."""
    drawn = [numbered(1, index, ("small",))[0] for index in range(30)]
    others = [case for case in drawn if sum(segment.times for segment in case.segments) > 2][:7]
    members = (*others[:3], _pages(64, 64), *others[3:], _pages(128, 64))
    case = _sequence(*members)
    (tmp_path / "nine.json").write_text(codec.encode(case))
    return "nine.json"


def test_each_case_of_it_passes_alone(kvzero: Callable, tmp_path: Path, written: str) -> None:
    """In a process of its own, as a file of its own."""
    for index, case in enumerate(codec.read(tmp_path / written).sequence):
        (tmp_path / f"{index}.json").write_text(codec.encode(case))
        if len(case.segments) == 2:
            run = kvzero("replay", f"{index}.json", "--target", TARGET, "--engine", "simulator")
            assert run.returncode == 0, run.stderr


def test_a_sequence_goes_where_any_case_goes(kvzero: Callable, tmp_path: Path, written: str) -> None:
    """From a file written by hand to one that pytest replays for good."""
    common = ("--target", TARGET, "--engine", "simulator")
    run = kvzero("replay", written, *common, "--json")
    assert run.returncode == 1, run.stderr
    assert [row["verdict"] for row in json.loads(run.stdout)] == ["stale:tail"]
    assert kvzero("replay", written, "--engine", "simulator").returncode == 0  # masked_grid forgets everything

    run = kvzero("shrink", written, *common, "--corpus", "found")
    assert run.returncode == 1, run.stderr
    assert "10 of 10 replays show it; " in run.stderr
    assert "; batch-only: its cases show it together" in run.stderr
    (path,) = (tmp_path / "found" / "crashing").iterdir()
    shrunk = codec.read(path)
    narrow, wide = shrunk.sequence
    assert [segment.page for segment in narrow.segments] < [segment.page for segment in wide.segments]
    assert shrunk.finds == {f"{TARGET}@h200": "stale:tail"}

    run = kvzero("explain", str(path), "--engine", "simulator")
    assert run.returncode == 1, run.stderr
    assert "sequence of 2 cases" in run.stdout
    assert "below: sequence[1]\n" in run.stdout
    assert "S|" in run.stdout
    run = kvzero("export", str(path))
    assert run.returncode == 2
    assert "sequence: 2 cases that show a find together have no script yet" in run.stderr

    run = kvzero("corpus", "accept", str(path), "--corpus", "found", "--title", "A page after a narrower one")
    assert run.returncode == 0, run.stderr
    kept = tmp_path / run.stdout.strip()
    assert kept.parent.name == "regressions"
    assert f"{TARGET}@h200" not in codec.read(kept).finds
    assert "1 cases in order" in kvzero("corpus", "check", "--corpus", "found").stdout
    assert str(kept.name) in kvzero("corpus", "list", "--corpus", "found").stdout


def test_pytest_replays_a_sequence(tmp_path: Path) -> None:
    """An item a target under the file's own name: built-in ones pass it, an open find is expected to show."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nkvzero_corpus = cases\n")
    pair = replace(_sequence(_pages(64, 512), _pages(512, 512)), title="A pair")
    names = []
    for folder, case in (("history", pair), ("crashing", replace(pair, finds={f"{TARGET}@h200": "stale:tail"}))):
        (tmp_path / "cases" / folder).mkdir(parents=True)
        names.append(f"cases/{folder}/{codec.file_name(case)}")
        (tmp_path / names[-1]).write_text(codec.encode(case))
    run = in_pytest(tmp_path, "-v", "-rx", "-k", "masked_grid or index_fill or planted")
    assert f"{names[0]}::masked_grid PASSED" in run.stdout
    assert f"{names[0]}::index_fill PASSED" in run.stdout
    assert f"{names[1]}::{TARGET} XFAIL" in run.stdout
    assert "2 passed" in run.stdout
