"""Reports of a gate hold whatever a target says, and differ in times alone."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

from fuzz.gate.checks.corpus_files import CorpusFiles
from fuzz.gate.checks.enumeration import Enumeration
from fuzz.gate.checks.limits import LimitsCheck
from fuzz.gate.checks.seeded_search import SeededSearch
from fuzz.gate.reports.json_report import as_json
from fuzz.gate.reports.junit import JUnit
from fuzz.gate.reports.markdown import page
from tests.gates import GUARD, PASSED, TAIL, grounded, one_page, reported, wide


def test_junit_and_markdown_hold_whatever_a_target_says(tmp_path: Path) -> None:
    """Characters that XML cannot hold, and those that would break a table."""
    ground, _ = grounded(tmp_path, wide(GUARD), lambda case: PASSED, files=(one_page(8), one_page(64)))
    path = tmp_path / "gate.xml"
    ground.tell = JUnit(path)
    report = reported(ground, LimitsCheck(), CorpusFiles(), SeededSearch())
    root = ET.parse(path).getroot()  # noqa: S314 - we wrote it
    assert (root.tag, [suite.get("tests") for suite in root]) == ("testsuites", ["2", "4"])
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("6", "4", "0")
    failed = {case.get("name") for case in root.iter("testcase") if case.find("failure") is not None}
    assert failed == {"1.json", "corpus", "search", "verdict"}
    assert "kvzero replay" in next(root.iter("failure")).text
    text = page(report)
    assert "## gate: no, 1 new" in text
    assert "`new@h200 clobbered:guard` | new |" in text


def test_json_tells_all_but_times_alike(tmp_path: Path) -> None:
    """Two gates of one tree differ in seconds alone."""

    def bare() -> dict:
        ground, _ = grounded(tmp_path, wide(TAIL, 32), wide(TAIL), files=(one_page(8), one_page(64)))
        text = as_json(reported(ground, LimitsCheck(), CorpusFiles(), Enumeration(), SeededSearch()))
        return json.loads(text, object_hook=lambda one: {k: v for k, v in one.items() if k != "seconds"})

    first = bare()
    assert first == bare()
    assert first["verdict"] == "no"
