"""Exported scripts judge each call as a run does; what no script can show is refused."""

from __future__ import annotations

import contextlib
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fuzz import exporting
from fuzz.arena import arena_of
from fuzz.case import Call, Case, Segment
from fuzz.errors import UsageError
from fuzz.ids import Ids
from fuzz.profiles.parts import guarded
from fuzz.run import run_case
from fuzz.target import Target
from kvzero import Limits
from tests import planted_calls
from tests.unit.test_revisions import git
from tests.unit.test_run import FakeEngine

Shown = Callable[[Case, str], tuple[int, str]]


class Warming(FakeEngine):
    """A CPU on which warm-ups may allocate."""

    allocating = contextlib.nullcontext


ARENA = arena_of(Warming())


def _case(*calls: str | None, **more: Any) -> Case:
    """A cache of four blocks; a call without ids gets None for one."""
    made = tuple(Call("zero", raw=(None,)) if ids is None else Call("zero", Ids.parse(ids)) for ids in calls)
    usual = {"domain": "contract", "segments": (Segment(0, 4, 8, 16), Segment(64, 4, 4, 8))}
    return guarded(Case(schema=1, guard=0, calls=made, **(usual | more)))


@pytest.fixture
def shown(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shown:
    """Export a case for a planted target and run the script: its exit code and what it printed."""
    monkeypatch.setenv("TRITON_INTERPRET", "1")  # as the script does: to be undone here

    def run(case: Case, name: str) -> tuple[int, str]:
        path = tmp_path / "script.py"
        path.write_text(exporting.script(case, f"{planted_calls.__file__}:{name}"))
        with pytest.raises(SystemExit) as left:
            runpy.run_path(str(path), run_name="__main__")
        return int(str(left.value.code)), capsys.readouterr().out

    return run


HOSTILE = {"domain": "hostile"}


@pytest.mark.parametrize(
    ("name", "case", "outcome", "words"),
    [
        ("right", _case("0", "1-2", "3,0"), "passed", "0 of "),
        ("right", _case("1", "", "1"), "passed", "after each of 3 calls"),
        ("right", _case("0-3", blocks_known=False), "passed", "0 of "),
        ("reclears", _case("0", "1"), "finding", "call 2 of 2, ids 1: 12 of "),
        ("reclears", _case("0", "1"), "finding", "byte 0: is 0, must be "),
        ("reclears", _case("0", "0"), "passed", "0 of "),
        ("once", _case("0", "0"), "finding", "call 2 of 2, ids 0: 12 of "),
        ("once", _case("0", "1,0", "1"), "finding", "call 2 of 3"),
        ("once", _case("0", "1"), "passed", "0 of "),
        ("sorts", _case("0,2-1"), "finding", "call 1 of 1, ids 0,2-1: the list of ids was changed"),
        ("sorts", _case("0-2"), "passed", "0 of "),
        ("widens", _case("0"), "finding", "call 1 of 1, ids 0: the table was changed"),
        ("overwrites_upload", _case("0"), "finding", "call 1 of 1, ids 0: the table was changed"),
        ("warm", _case("1"), "passed", "0 of "),
        ("lazy_once_warm", _case("1"), "finding", "call 1 of 1, ids 1: 12 of "),
        ("lazy_once_warm", _case("1", cold=True), "passed", "0 of "),
        ("lazy_once_warm", _case("1", segments=(Segment(-16, 4, 8, 16),)), "passed", "0 of "),
        ("needs_blocks", _case("1"), "finding", "raised RuntimeError: 4 are too many"),
        ("needs_blocks", _case("1", blocks_known=False), "passed", "0 of "),
        ("refuses_all", _case("1"), "finding", "raised ValueError: [1] are not wanted"),
        ("right", _case(None, "0", **HOSTILE), "passed", "refused with ValueError"),
        ("right", _case("0", None, **HOSTILE), "passed", "call 2 of 2, ids [None]: refused with ValueError"),
        ("once", _case("0", "0", None, **HOSTILE), "finding", "call 2 of 3"),
        ("refuses_all", _case("0", None, **HOSTILE), "finding", "raised ValueError: [0] are not wanted"),
        ("too_late", _case("0--1", **HOSTILE), "finding", "refused with ValueError"),
        ("too_late", _case("0--1", **HOSTILE), "finding", "12 of "),
        ("takes_all", _case("0--1", **HOSTILE), "finding", "hostile input was taken, 12 bytes changed"),
    ],
)
def test_a_script_ends_as_a_run_does(shown: Shown, name: str, case: Case, outcome: str, words: str) -> None:
    """Poison before each call, every byte after it; ids and table are as they were; warm where a run is."""
    target = Target(name, getattr(planted_calls, name), Limits())
    verdict = run_case(case, target, Warming(), ARENA, patience=1.0, on_launch=lambda _: None)
    code, said = shown(case, name)
    assert verdict.outcome == outcome, verdict
    assert words in said
    assert code == (outcome == "finding")


def test_an_arena_too_large_for_a_script_is_refused() -> None:
    """Gigabytes that only a virtual cache holds are no memory of a reader's machine; what just fits is written."""
    far = _case("0,3", segments=(Segment(0, 4, 8, 2**37),))
    with pytest.raises(UsageError, match=r"arena=\d{12}: a script holds at most \d+ bytes, .*; give the case file"):
        exporting.script(far, "masked_grid")
    assert exporting.script(_case("0,3", segments=(Segment(0, 4, 8, 2**27),)), "masked_grid")


FILE = """from kvzero import Limits

def zeroer(table, device):
    return lambda ids: None
"""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("import near", "imports near, which lies beside it"),
        ("from near import x", "imports near, which lies beside it"),
        ("import pack", "imports pack, which lies beside it"),
        ("from pack.z import x", "imports pack.z, which lies beside it"),
        ("from space.z import x", "imports space.z, which lies beside it"),
        ("def later():\n    import space.z", "imports space.z, which lies beside it"),
        ("from . import near", "imports ., which lies beside it"),
        ("from .near import x", "imports .near, which lies beside it"),
        ("import json, space", "imports space, which lies beside it"),
        ("import json", ""),
        ("import numpy.linalg", ""),
        ("from kvzero.segments import SegmentTable", ""),
        ("import collections.abc", ""),
    ],
)
@pytest.mark.parametrize("target", ["home/k.py:zeroer", "git:HEAD:home/k.py:zeroer"])
def test_what_a_target_imports_from_beside_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, line: str, words: str
) -> None:
    """A script is one file: modules, packages and plain folders beside the target are not in it; others are imports."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in ("k.py", "near.py", "pack/__init__.py", "pack/z.py", "space/z.py", "json/a.txt", "kvzero/__init__.py"):
        path = tmp_path / "home" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n")
    (tmp_path / "home" / "k.py").write_text(f"{line}\n{FILE}")
    git("init", "-q")
    git("add", "home")
    git("commit", "-q", "-m", "all")
    if not words:
        assert "def zeroer(table, device):" in exporting.script(_case("0"), target)
        return
    with pytest.raises(UsageError, match=re.escape(f"target={target!r}: {words}")):
        exporting.script(_case("0"), target)


def test_a_module_of_a_package_that_needs_its_package_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A target named as package.module cannot bring its package along either."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "kvzero_home").mkdir()
    for name in ("__init__", "other"):
        (tmp_path / "kvzero_home" / f"{name}.py").write_text("x = 1\n")
    for number, line in enumerate(("from . import other", "from kvzero_home.other import x", "import kvzero_home")):
        (tmp_path / "kvzero_home" / f"k{number}.py").write_text(f"{line}\n{FILE}")
        with pytest.raises(UsageError, match="which lies beside it; put all into one file to export it"):
            exporting.script(_case("0"), f"kvzero_home.k{number}:zeroer")
    (tmp_path / "kvzero_home" / "alone.py").write_text(FILE)
    assert exporting.script(_case("0"), "kvzero_home.alone:zeroer")


def test_a_revisions_target_is_exported_as_it_was_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of the revision is written, not that of the working tree."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "k.py").write_text(f"WORD = 'then'\n{FILE}")
    git("init", "-q")
    git("add", "k.py")
    git("commit", "-q", "-m", "then")
    (tmp_path / "k.py").write_text(f"WORD = 'now'\n{FILE}")
    text = exporting.script(_case("0"), "git:HEAD:k.py:zeroer")
    assert "WORD = 'then'" in text
    assert "_kvzero_show(KVZERO_CASE, zeroer, SegmentTable)" in text
