"""The gate as JUnit XML: a suite for the corpus with a case a file, and one for the checks with a case each."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

from fuzz.gate.events import CheckEnded, Event, FileTried, Over
from fuzz.gate.reports.words import of_find, replay
from fuzz.gate.results import BLOCKING, Check, Decided, GateReport

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold; a target's message may have any."""


class JUnit:
    """Gathers a gate's events and writes the file when it is over.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files: list[FileTried] = []
        self._checks: list[Check] = []

    def __call__(self, event: Event) -> None:
        """Note an event."""
        if isinstance(event, FileTried):
            self._files.append(event)
        elif isinstance(event, CheckEnded):
            self._checks.append(event.check)
        elif isinstance(event, Over):
            self._write(event.report)

    def _write(self, report: GateReport) -> None:
        root = ET.Element("testsuites", name="kvzero gate", time=f"{report.seconds:.3f}")
        corpus = ET.SubElement(root, "testsuite", name=f"corpus on {report.target}")
        for file in self._files:
            _of_file(corpus, file, report.target)
        checks = ET.SubElement(root, "testsuite", name=f"gate of {report.target}")
        for check in self._checks:
            _of_check(checks, check, report)
        verdict = _case(checks, "gate", "verdict", report.seconds)
        if report.verdict != "yes":
            _said(verdict, "failure" if report.verdict == "no" else "error", report.line, report.line)
        _text(checks, "system-out", "\n".join([*map(of_find, report.finds), *report.unproved, report.line]))
        for suite in (corpus, checks):
            _count(suite)
        _count(root)
        ET.indent(root)
        ET.ElementTree(root).write(self._path, encoding="utf-8", xml_declaration=True)


def _of_file(suite: ET.Element, file: FileTried, target: str) -> None:
    case = _case(suite, f"corpus.{file.path.parent.name}", file.path.name, file.seconds)
    one = file.decided
    if one and one.standing == "new":
        _said(case, "failure", f"{file.label}: {one.reason}", _evidence(one, target))
    elif one and one.standing == "undecided":
        _said(case, "error", f"{file.label}: {one.reason}", _evidence(one, target))
    elif one:
        _said(case, "skipped", f"{one.standing} {file.label}: {one.reason}", "")
    elif file.outcome == "infra":
        _said(case, "error", "trouble of kvzero's own", file.text)
    elif file.outcome != "passed":
        _said(case, "skipped", f"{file.outcome}: {file.text}", "")


def _of_check(suite: ET.Element, check: Check, report: GateReport) -> None:
    case = _case(suite, "gate", check.name, check.seconds)
    new = [one for one in check.decided if one.standing == "new"]
    if check.state == "failed":
        evidence = "\n\n".join(_evidence(one, report.target) for one in new)
        _said(case, "failure", check.words, evidence or check.words)
    elif check.state in BLOCKING:
        _said(case, "error", f"{check.state}: {check.words}", check.words)
    elif check.state == "left out":
        _said(case, "skipped", check.words, "")
    else:
        _text(case, "system-out", check.words)


def _evidence(one: Decided, target: str) -> str:
    return f"{one.finding.bucket}\n{one.finding.verdict.text}\n{one.reason}\n{replay(one, target)}"


def _case(suite: ET.Element, group: str, name: str, seconds: float) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=f"kvzero.{group}", name=name, time=f"{seconds:.3f}")


def _said(case: ET.Element, kind: str, message: str, text: str) -> None:
    child = _text(case, kind, text)
    child.set("message", _clean(message))
    if kind != "skipped":
        child.set("type", kind)


def _text(parent: ET.Element, kind: str, text: str) -> ET.Element:
    child = ET.SubElement(parent, kind)
    child.text = _clean(text) or None
    return child


def _clean(text: str) -> str:
    return NOT_XML.sub("?", text)


def _count(suite: ET.Element) -> None:
    suite.set("tests", str(len(list(suite.iter("testcase")))))
    for name, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(len(list(suite.iter(kind)))))
    if suite.tag == "testsuite":
        suite.set("time", f"{sum(float(case.get('time', 0)) for case in suite.iter('testcase')):.3f}")
