"""The gate as SARIF: what the format asks for, and the line that a result points to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fuzz.case import Case
from fuzz.gate.events import Over
from fuzz.gate.places import Place, place, uri
from fuzz.gate.reports.at_the_end import AtTheEnd
from fuzz.gate.reports.sarif import LEVELS, RULES, text
from fuzz.gate.results import STANDINGS, Check, Decided, Finding, GateReport, Standing
from fuzz.verdict import KINDS, Bucket, Verdict

SOURCE = """import triton
from near import other

@triton.autotune(configs=[], key=[])
@triton.jit
def clear(ptr):
    pass


def plain(ptr):
    pass


def zeroer(table, device):
    return lambda ids: None
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """A target's file and a neighbour with another kernel, in a repository's folder of kernels."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "my kernels"
    folder.mkdir()
    (folder / "k.py").write_text(SOURCE)
    (folder / "near.py").write_text("import triton\n\n@triton.jit(do_not_specialize=[0])\ndef other(ptr):\n    pass\n")
    return str(folder / "k.py"), str(folder / "near.py")


@pytest.mark.parametrize(
    ("launches", "name", "line"),
    [
        (("clear(1, 2)",), "k.py", 6),
        (("clear(1, 2)", "other(3,)"), "near.py", 4),
        (("other(3,)", "elsewhere(3,)"), "near.py", 4),
        (("plain(1,)",), "k.py", 14),
        ((), "k.py", 14),
    ],
)
def test_a_find_is_placed_at_the_kernel_that_was_launched_last(
    files: tuple[str, str], launches: tuple[str, ...], name: str, line: int
) -> None:
    """A kernel of the target's files, or else its function; a plain function of the name is no kernel."""
    assert place("my kernels/k.py:zeroer", files, launches) == Place(Path(files[0]).with_name(name), line)


def test_a_target_that_is_made_otherwise_is_placed_at_its_file(files: tuple[str, str]) -> None:
    """A name that is bound to no function; without any file there is no place."""
    assert place("my kernels/k.py:made", files) == Place(Path(files[0]), 1)
    assert place("strange", ()) is None


def test_a_file_of_a_revision_has_its_path_in_the_repository(files: tuple[str, str]) -> None:
    """It was written out elsewhere; a report must not point there."""
    found = place("git:HEAD:my kernels/k.py:zeroer", files, ("other(1,)",))
    assert found == Place(Path("my kernels/near.py"), 4)
    assert uri(found.path) == ("my%20kernels/near.py", True)


def test_a_file_outside_of_the_repository_is_named_in_full(files: tuple[str, str]) -> None:
    """As a URI of its own; one inside counts from the root, wherever in it one stands."""
    assert uri(Path("/somewhere/k.py")) == ("file:///somewhere/k.py", False)
    assert uri(Path(files[0])) == ("my%20kernels/k.py", True)


def _report(files: tuple[str, str]) -> GateReport:
    report = GateReport(
        "my kernels/k.py:zeroer", None, "change", 5, "simulator", "CPU", "h200", {"k": "c0ffee"}, files=files
    )
    case = Case(domain="contract", guard=0, calls=())

    def one(kind: str, standing: Standing) -> Decided:
        bucket = Bucket(report.target, "h200", kind, "")
        verdict = Verdict("finding", kind, text=f"it is {kind}", launches=("clear(1,)",))
        return Decided(Finding(bucket, case, verdict, "small", 2), "search", standing, "for a reason")

    decided = tuple(one(kind, standing) for kind, standing in zip(KINDS, STANDINGS, strict=False))
    report.checks = [
        Check("limits", "failed", "limits are narrower than the base's"),
        Check("corpus", "cut short", "cut short at 1 of 2 cases"),
        Check("search", "failed", "60 of 60 cases", decided=decided),
    ]
    return report


def test_each_bucket_is_a_result_with_all_that_the_format_asks_for(files: tuple[str, str], tmp_path: Path) -> None:
    """Required properties of every object that is there, rules that exist, and levels by standing."""
    path = tmp_path / "gate.sarif"
    report = _report(files)
    AtTheEnd(path, text)(Over(report))
    log = json.loads(path.read_text())
    (run,) = log["runs"]
    assert (log["version"], log["$schema"].endswith("sarif-2.1.0.json")) == ("2.1.0", True)
    assert run["tool"]["driver"]["name"] == "kvzero gate"
    rules = {rule["id"]: rule["shortDescription"]["text"] for rule in run["tool"]["driver"]["rules"]}
    assert {result["ruleId"] for result in run["results"]} == set(rules)
    assert len(run["results"]) == len(STANDINGS) + 1
    for result in run["results"]:
        assert result["message"]["text"]
        assert result["level"] in ("error", "warning", "note")
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"] == {
            "uri": "my%20kernels/k.py", "uriBaseId": "%SRCROOT%",
        }  # fmt: skip
        assert location["physicalLocation"]["region"] == {"startLine": 14 if result["ruleId"] == "limits" else 6}
    by_kind = {result["ruleId"]: result for result in run["results"]}
    for find in report.finds:
        assert by_kind[find.shown.finding.bucket.kind]["level"] == LEVELS.get(find.shown.standing, "note")
        assert ("suppressions" in by_kind[find.shown.finding.bucket.kind]) == (find.shown.standing == "waived")
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is True
    assert [one["message"]["text"] for one in invocation["toolExecutionNotifications"]] == report.doubts
    assert len({json.dumps(result["partialFingerprints"]) for result in run["results"]}) == len(run["results"])


def test_every_kind_has_a_sentence() -> None:
    """A rule without one would be shown by its bare name."""
    assert set(RULES) == set(KINDS)
