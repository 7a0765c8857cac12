"""``kvzero gate`` on the simulator, as a user types it, with a corpus of two files and few cases."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from fuzz.gate.checks import portability
from fuzz.gate.checks.limits import NO_WARMUP
from fuzz.gate.reports.json_report import as_json
from fuzz.gate.request import Request, Sizes
from fuzz.gate.running import hold
from tests.conftest import ROOT, planted

HISTORY = ROOT / "corpus" / "history"
FILES = ("a-page-cleared-as-wide-as-its-block-stride", "one-block-and-one-id")

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two files of history: a padded page, and the plainest case there is."""
    folder = tmp_path / "cases" / "history"
    folder.mkdir(parents=True)
    for words in FILES:
        (path,) = HISTORY.glob(f"{words}-????????.json")
        shutil.copy(path, folder)
    return folder.parent


def _gate(kvzero: Run, corpus: Path, target: str, base: str | None, *more: str) -> tuple[int, dict, str]:
    against = ("--base", base) if base else ()
    done = kvzero(
        "gate", "--target", target, *against, "--corpus", str(corpus), "--engine", "simulator", "--corpus-only",
        "--json", *more,
    )  # fmt: skip
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


def _held(corpus: Path, target: str, base: str) -> dict:
    sizes = {("change", "simulator"): Sizes(60, 45)}
    request = Request(target, base, corpus, corpus, seconds=400.0, engine="simulator", sizes=sizes)
    text = as_json(hold(request, lambda event: None))
    return json.loads(text, object_hook=lambda one: {key: one[key] for key in one if key != "seconds"})


def test_a_kernel_against_itself_passes(corpus: Path) -> None:
    """All checks with few cases: yes, and old finds only."""
    held = _held(corpus, "masked_grid", "masked_grid")
    assert held["line"] == "gate: yes"
    states = {check["name"]: check["state"] for check in held["checks"]}
    assert states == {
        "limits": "passed", "corpus": "passed", "exhaustive": "passed", "search": "passed", "order": "left out",
        "portability": "information", "fixed": "information", "cost": "left out",
    }  # fmt: skip
    assert {find["standing"] for find in held["finds"]} <= {"old", "accepted"}
    (words,) = [check["words"] for check in held["checks"] if check["name"] == "portability"]
    assert words.startswith("64 segments of 65536 bytes: h200 takes ")
    assert "then" in words


def test_the_same_tree_says_the_same(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Finds, shrunk cases, files and reasons too: the second gate's JSON is the first one's but for times."""
    monkeypatch.setattr(portability, "MOST_IDS", 2**10)
    first, again = (_held(corpus, "page_table", "block_stride") for _ in range(2))
    assert first["verdict"] == "no"
    assert any(find["checks"].get("search") and find["standing"] == "new" for find in first["finds"])
    assert first == again


def test_a_change_for_the_worse_is_refused(kvzero: Run, corpus: Path, tmp_path: Path) -> None:
    """From block_stride to page_table: padding is cleared, new; all reports say so, and JUnit parses."""
    names = ("junit.xml", "gate.md", "events.ndjson", "gate.sarif")
    junit, markdown, events, sarif = (tmp_path / name for name in names)
    code, report, words = _gate(
        kvzero, corpus, "page_table", "block_stride",
        "--junit", str(junit), "--markdown", str(markdown), "--events", str(events),
        "--sarif", str(sarif),
    )  # fmt: skip
    assert (code, report["line"]) == (1, "gate: no, 1 new")
    assert [f["bucket"] for f in report["finds"] if f["standing"] == "new"] == ["page_table@h200 clobbered:padding"]
    assert words.splitlines()[-1] == "gate: no, 1 new"
    assert "no GPU" in words
    root = ET.parse(junit).getroot()  # noqa: S314 - we wrote it
    assert root.get("failures") == "3"
    assert "| `page_table@h200 clobbered:padding` | new |" in markdown.read_text()
    rows = [json.loads(line) for line in events.read_text().splitlines()]
    (result,) = json.loads(sarif.read_text())["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("kvzero/generations/page_table.py")
    source = (ROOT / "kvzero" / "generations" / "page_table.py").read_text().splitlines()
    assert source[place["region"]["startLine"] - 1].startswith("def kernel(")
    assert [row["event"] for row in rows] == ["began", "check", "file", "file", "check", "check", "over"]


def test_a_change_for_the_better_passes(kvzero: Run, corpus: Path) -> None:
    """From page_table to block_stride."""
    code, report, _ = _gate(kvzero, corpus, "block_stride", "page_table")
    assert (code, report["verdict"]) == (0, "yes")


def test_a_planted_kernel_is_refused_and_its_base_is_missed(kvzero: Run, corpus: Path) -> None:
    """One whose base cannot be built: that is said, and all counts as new."""
    code, report, words = _gate(kvzero, corpus, planted("stray_byte"), planted("nothing_here"))
    assert code == 1
    assert "the base cannot be built" in report["base_trouble"]
    assert "every find counts as new" in words
    assert {find["bucket"].split("@")[-1] for find in report["finds"]} == {"h200 clobbered:guard"}


def test_a_target_of_another_revision_is_gated(kvzero: Run, corpus: Path, tmp_path: Path) -> None:
    """A file in the working tree that fails, its committed self that passes as the base."""
    (tmp_path / "k.py").write_text("from fuzz.index_fill import LIMITS, zeroer\nzeroer.limits = LIMITS\n")
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "k.py"], ["commit", "-qm", "right"]):
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True)  # noqa: S607
    (tmp_path / "k.py").write_text("def zeroer(table, device):\n    return lambda ids: None\n")
    code, report, _ = _gate(kvzero, corpus, "k.py:zeroer", "git:HEAD:k.py:zeroer")
    assert code == 1
    assert report["line"].startswith("gate: no, 1 new; limits are narrower than the base's: unit=4")
    assert {find["standing"] for find in report["finds"]} == {"new"}
    assert len(set(report["contents"].values())) == 2


WARM = """from kvzero.zeroer import KVBlockZeroer
def warm(table, device):
    return KVBlockZeroer.of(table, device).zero_block_ids
def bare(table, device):
    return lambda ids: warm(table, device)(ids)
def told(table, device):
    return warm(table, device)
told.capturable = True
"""


@pytest.mark.parametrize(
    ("target", "base", "words"),
    [
        ("bare", "warm", NO_WARMUP),
        ("warm", "told", "limits are narrower than the base's: capturable=False, the base's is True"),
        ("told", "bare", None),
    ],
)
def test_what_a_change_no_longer_says_of_itself_is_refused(
    kvzero: Run, corpus: Path, tmp_path: Path, target: str, base: str, words: str | None
) -> None:
    """A kernel that is right on all cases: without its warm-up, or without being capturable, fewer are asked of it."""
    (tmp_path / "k.py").write_text(WARM)
    code, report, _ = _gate(kvzero, corpus, f"k.py:{target}", f"k.py:{base}")
    assert (code, report["line"]) == ((1, f"gate: no, {words}") if words else (0, "gate: yes"))


EXPIRED = '[[waivers]]\nbucket = "hung"\nreason = "r"\nlink = "l"\nowner = "ann"\nexpires = 2020-01-01\n'


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--waivers", "w.toml"), "hung of ann has expired"),
        (("--waivers", "none.toml"), "waivers=none.toml: No such file"),
        (("--mode", "fast"), "mode='fast': must be one of change, batch"),
        (("--seconds", "0"), "seconds=0: must be more than 0"),
        (("--seconds", "inf"), "seconds=inf: must be more than 0 and at most 31536000, a year"),
        (("--seconds", "nan"), "seconds=nan: must be more than 0 and at most"),
        (("--base", "git:HEAD"), "three parts"),
        (("--cost-limit", "3"), "cost_limit=3: is against a base, and there is none"),
        (("--base", "ids_on_z", "--cost-limit", "0"), "cost_limit=0: must be more than 0 per cent"),
        (("--corpus", "nowhere"), "corpus=nowhere: there is no such folder"),
        (("--corpus", "empty"), "corpus=empty: no case in"),
        (("--check-receipt", "none.json"), "check_receipt=none.json: No such file"),
        (("--junit", "no/folder/j.xml"), "junit=no/folder/j.xml: No such file"),
    ],
)
def test_what_cannot_be_is_refused(kvzero: Run, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    """Exit 2, and the option in the message; nothing is run."""
    (tmp_path / "w.toml").write_text(EXPIRED)
    (tmp_path / "empty").mkdir()
    done = kvzero("gate", "--target", "masked_grid", *arguments)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_receipt_is_written_on_a_gpu_alone(kvzero: Run, corpus: Path, tmp_path: Path) -> None:
    """With the simulator that is said before anything is run, and no file is left."""
    written = tmp_path / "r.json"
    code, report, words = _gate(kvzero, corpus, "masked_grid", None, "--receipt", str(written))
    assert (code, report, written.exists()) == (2, {}, False)
    assert "a receipt is a GPU's, and engine simulator would run" in words


def test_sanitizing_takes_a_tool_and_a_gpu(kvzero: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gate says at once that the tool is missing, a replay that its engine has no such memory."""
    monkeypatch.setenv("PATH", str(tmp_path))
    gate = kvzero("gate", "--target", "masked_grid", "--sanitize")
    assert (gate.returncode, "there is no compute-sanitizer on PATH" in gate.stderr) == (3, True)
    (case,) = HISTORY.glob("one-block-and-one-id-????????.json")
    replayed = kvzero("replay", str(case), "--sanitize", "--engine", "simulator")
    assert (replayed.returncode, "only cuda has memory that --sanitize can check" in replayed.stderr) == (2, True)


def test_a_new_target_runs_as_written(kvzero: Run, corpus: Path, tmp_path: Path) -> None:
    """The file that new-target writes passes the corpus; a second one of the name is refused."""
    assert kvzero("new-target", "mine").returncode == 0
    code, report, words = _gate(kvzero, corpus, "mine.py:zeroer", None)
    assert (code, report["line"]) == (0, "gate: yes"), words
    before = (tmp_path / "mine.py").read_text()
    again = kvzero("new-target", "mine")
    assert (again.returncode, "mine.py is there already" in again.stderr) == (2, True)
    assert (tmp_path / "mine.py").read_text() == before
    assert kvzero("new-target", "not-a-name").returncode == 2
