"""Receipts: written and read whole, accepted for the very same content, refused with the reason for anything else."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from msgspec.structs import replace

from fuzz import version
from fuzz.errors import UsageError
from fuzz.gate import receipt
from fuzz.gate.asked import Asked
from fuzz.gate.checks.receipts import ReceiptCheck
from fuzz.gate.request import SIZES
from fuzz.gate.results import Check, GateReport
from fuzz.gate.unproved import unproved

ASKED = Asked(
    ("c0ffee", "bead"), "cases", SIZES["change", "cuda"], strict=False, corpus_only=False, cost_limit=None,
    sanitize=False,
)  # fmt: skip
BATCH = SIZES["batch", "cuda"]


def _receipt(asked: Asked = ASKED) -> receipt.Receipt:
    report = GateReport("k.py:new", "k.py:old", "change", 7, "cuda", "NVIDIA H200", "h200", {}, seconds=12.3456)
    report.checks = [Check("corpus", "passed", "3 of 3 cases: 3 passed", 1.0, 3, 3, {"passed": 3})]
    return receipt.of_report(report, asked)


def test_a_receipt_is_read_as_it_was_written(tmp_path: Path) -> None:
    """All of it: device, versions, seed, counts, verdict; nothing else is left in the folder."""
    path = tmp_path / "receipt.json"
    made = _receipt()
    receipt.write(path, made)
    assert receipt.read(path) == made
    assert list(tmp_path.iterdir()) == [path]
    told = json.loads(path.read_text())
    assert (told["device"], told["verdict"], told["seed"], told["kvzero"]) == ("NVIDIA H200", "yes", 7, version())
    assert told["checks"]["corpus"]["counts"] == {"passed": 3}
    assert {"python", "torch", "triton"} <= set(told["machine"])


def test_a_receipt_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    """A folder has its name."""
    path = tmp_path / "receipt.json"
    path.mkdir()
    with pytest.raises(OSError, match="directory"):
        receipt.write(path, _receipt())
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kvzero": "0.0.9"}, "is of kvzero 0.0.9, this is"),
        ({"device_profile": "mi300x"}, "is of the launch limits of mi300x, and those of h200 hold here"),
        ({"engine": "simulator"}, "is of engine simulator, and of no GPU"),
        ({"asked": replace(ASKED, contents=("dead", "bead"))}, "is of another target: content dead, here c0ffee"),
        ({"asked": replace(ASKED, contents=("c0ffee", "beef"))}, "is against another base: content beef, here bead"),
        ({"asked": replace(ASKED, contents=("c0ffee",))}, "is against another base: content none, here bead"),
        ({"asked": replace(ASKED, corpus="others")}, "is of another corpus: others, here cases"),
        ({"asked": replace(ASKED, corpus_only=True)}, "is of a gate of the corpus only"),
        ({"verdict": "no", "line": "gate: no, 1 new"}, "says gate: no, 1 new"),
        ({"waived": ("hung",)}, "waives hung, and no waiver here does"),
    ],
)
def test_a_receipt_of_anything_else_is_refused(change: dict, words: str) -> None:
    """Tool, engine, target, base, corpus, extent, verdict, waivers: each by itself, with the reason."""
    assert receipt.refused(_receipt(), ASKED, "h200") is None
    assert receipt.refused(replace(_receipt(), **change), ASKED, "h200").startswith(words)


def test_a_receipt_of_a_gate_that_was_asked_more_holds() -> None:
    """The longer mode for the shorter, strict for not strict, a lower limit of cost, a whole for the corpus."""
    more = replace(ASKED, sizes=BATCH, strict=True, cost_limit=3.0, sanitize=True)
    fields = ({"strict": False}, {"sizes": ASKED.sizes}, {"cost_limit": 4.0}, {"cost_limit": None}, {"sanitize": False})
    for less in (ASKED, replace(ASKED, corpus_only=True), more, *(replace(more, **one) for one in fields)):
        assert receipt.refused(_receipt(more), less, "h200") is None
    fewer = receipt.refused(_receipt(), replace(ASKED, sizes=BATCH), "h200")
    assert fewer == "is of a gate of 30000 cases of exhaustive, and --mode and --seconds here ask for 1000000"
    fewer = receipt.refused(_receipt(), replace(ASKED, sizes=ASKED.sizes._replace(order=301)), "h200")
    assert fewer == "is of a gate of 300 cases of order, and --mode and --seconds here ask for 301"
    assert "without --strict" in receipt.refused(_receipt(), replace(ASKED, strict=True), "h200")
    assert "without --sanitize" in receipt.refused(_receipt(), replace(ASKED, sanitize=True), "h200")
    limited = replace(ASKED, cost_limit=3.0)
    assert "without --cost-limit" in receipt.refused(_receipt(), limited, "h200")
    looser = receipt.refused(_receipt(replace(ASKED, cost_limit=3.5)), limited, "h200")
    assert looser == "is of a gate with --cost-limit 3.5, and 3 is asked"
    assert receipt.refused(replace(_receipt(), waived=("hung",)), ASKED, "h200", {"hung": None}) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "No such file"),
        ("{", "name a file that kvzero gate --receipt wrote"),
        ("{}", "missing required field `schema`"),
        ("other schema", "schema=2: must be 3; hold the gate on a GPU again"),
        ("unknown field", "unknown field `extra`"),
    ],
)
def test_a_file_that_is_no_receipt_is_named(tmp_path: Path, text: str | None, words: str) -> None:
    """Missing, cut off, of another form: the file stands in the error."""
    path = tmp_path / "receipt.json"
    if text is not None:
        whole = msgspec.to_builtins(_receipt())
        changed = {"other schema": {"schema": 2}, "unknown field": whole | {"extra": 1}}.get(text)
        path.write_text(json.dumps(changed) if changed else text)
    with pytest.raises(UsageError, match=f"check_receipt={path}: .*{words}"):
        receipt.read(path)


def test_the_check_says_who_said_yes_and_what_is_then_left() -> None:
    """A receipt that holds takes the place of what is unproved without a GPU; one that does not blocks."""

    class Ground:
        waivers: dict = {}  # noqa: RUF012
        opened = SimpleNamespace(device_profile="h200")

    class Elsewhere(Ground):
        opened = SimpleNamespace(device_profile="ascend910b")

    report = GateReport("k.py:new", None, "change", 0, "simulator", "CPU", "h200", {})
    assert "no machine code" in " ".join(unproved("simulator", report))
    passed = ReceiptCheck(Path("r.json"), _receipt(), ASKED)(Ground())
    assert (passed.state, passed.words.startswith("NVIDIA H200 said yes to the same content on ")) == ("passed", True)
    report.checks = [passed]
    assert report.verdict == "cannot say"
    assert unproved("simulator", report) == [
        "no GPU here: the receipt stands for one, and whoever wrote it is believed"
    ]
    report.checks = [passed, Check("search", "passed", "", counts={"unproved": 2})]
    assert unproved("simulator", report)[1:] == ["2 cases are more than simulator holds; a GPU can"]
    elsewhere = ReceiptCheck(Path("r.json"), _receipt(), ASKED)(Elsewhere())
    assert (elsewhere.state, "launch limits of h200, and those of ascend910b" in elsewhere.words) == ("failed", True)
    failed = ReceiptCheck(Path("r.json"), _receipt(), replace(ASKED, contents=("dead",)))(Ground())
    report.checks = [failed]
    assert (report.verdict, "run the gate on a GPU again" in report.line) == ("no", True)


def test_on_a_gpu_a_receipt_stands_for_nothing() -> None:
    """What the gate itself left unproved is counted with and without one."""
    report = GateReport("k.py:new", None, "change", 0, "cuda", "NVIDIA H200", "h200", {})
    report.checks = [Check("receipt", "passed", ""), Check("corpus", "passed", "", counts={"unproved": 2})]
    assert unproved("cuda", report) == ["2 cases are more than cuda holds"]
