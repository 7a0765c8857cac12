"""The gate as SARIF 2.1.0: a result for each bucket, at the kernel's file and line.

The format: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
from typing import Any

from fuzz import version
from fuzz.gate.places import place, uri
from fuzz.gate.reports.words import of_find, replay
from fuzz.gate.results import Find, GateReport, Standing

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"
"""What a relative path counts from: whoever shows the report knows where the repository lies."""

RULES = {
    "faulted": "The device faulted, or the process got a signal.",
    "hung": "A call did not come back.",
    "rejected": "Legal input was refused: by the constructor, the compiler or a launch limit.",
    "skipped": "The launch was silently not run.",
    "accepted": "Illegal input was taken.",
    "recompiled": "A kernel was compiled again after the warm-up.",
    "misordered": "Calls that overlap are wrong, alone they are right.",
    "clobbered": "A byte changed that had to stay.",
    "wrong": "A byte was written, but not with zero.",
    "stale": "A byte that had to be zero was never written.",
    "unstable": "A find shows in some of its replays only.",
}
"""A sentence for each kind of find; a check that fails without a find is a rule of its own name."""

LEVELS: dict[Standing, str] = {"new": "error", "undecided": "warning"}
"""Others are notes."""


def text(report: GateReport) -> str:
    """The file."""
    return json.dumps(log(report), indent=2) + "\n"


def log(report: GateReport) -> dict[str, Any]:
    """One run with its rules, its results, and why it cannot say if it cannot."""
    results = [_of_find(find, report) for find in report.finds]
    results += [_refusal(check.name, check.words, report) for check in report.refused]
    rules = {kind: RULES.get(kind, f"Check {kind} of the gate.") for kind in (one["ruleId"] for one in results)}
    driver = {
        "name": "kvzero gate",
        "version": version(),
        "rules": [{"id": kind, "shortDescription": {"text": words}} for kind, words in rules.items()],
    }
    invocation = {
        "executionSuccessful": report.verdict != "cannot say",
        "exitCode": report.exit_code,
        "exitCodeDescription": report.line,
        "toolExecutionNotifications": [{"level": "error", "message": {"text": words}} for words in report.doubts],
    }
    properties = {
        "verdict": report.verdict, "base": report.base, "seed": report.seed, "engine": report.engine,
        "contents": report.contents, "unproved": report.unproved,
    }  # fmt: skip
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": results,
        "properties": properties,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _of_find(find: Find, report: GateReport) -> dict[str, Any]:
    one, bucket = find.shown, find.shown.finding.bucket
    verdict = one.finding.verdict
    lines = [of_find(find), verdict.text, replay(one, report.target)]
    result = _result(bucket.kind, LEVELS.get(one.standing, "note"), "\n".join(filter(None, lines)))
    result["locations"] = _locations(report, verdict.launches)
    result["partialFingerprints"] = {"kvzeroBucket/v1": str(bucket)}
    result["occurrenceCount"] = max(sum(find.checks.values()), 1)
    if one.standing == "waived":
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": one.reason}]
    return result


def _refusal(name: str, words: str, report: GateReport) -> dict[str, Any]:
    result = _result(name, "error", words)
    result["locations"] = _locations(report, ())
    result["partialFingerprints"] = {"kvzeroBucket/v1": f"{report.target} {name}"}
    return result


def _result(rule: str, level: str, text: str) -> dict[str, Any]:
    return {"ruleId": rule, "level": level, "message": {"text": text}}


def _locations(report: GateReport, launches: tuple[str, ...]) -> list[dict[str, Any]]:
    found = place(report.target, report.files, launches)
    if found is None:
        return []
    name, relative = uri(found.path)
    artifact = {"uri": name, "uriBaseId": ROOT} if relative else {"uri": name}
    return [{"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": found.line}}}]
