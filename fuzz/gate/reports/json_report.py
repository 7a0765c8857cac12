"""The gate as one JSON object; docs/gate.md says what may differ between two of the same tree."""

from __future__ import annotations

import json
from typing import Any

from fuzz.gate.results import Check, Decided, Find, GateReport


def as_json(report: GateReport) -> str:
    """The verdict, the checks in order, the finds by standing and name."""
    return json.dumps(as_object(report), indent=2)


def as_object(report: GateReport) -> dict[str, Any]:
    """The same as plain values."""
    return {
        "verdict": report.verdict,
        "line": report.line,
        "new": report.new,
        "target": report.target,
        "base": report.base,
        "base_trouble": report.base_trouble,
        "contents": report.contents,
        "mode": report.mode,
        "seed": report.seed,
        "engine": report.engine,
        "device_profile": report.device_profile,
        "checks": [of_check(check) for check in report.checks],
        "finds": [of_find(find) for find in report.finds],
        "unproved": report.unproved,
        "seconds": round(report.seconds, 3),
    }


def of_check(check: Check) -> dict[str, Any]:
    """A check without its finds, which stand together."""
    return {
        "name": check.name,
        "state": check.state,
        "words": check.words,
        "done": check.done,
        "of": check.of,
        "counts": check.counts,
        "seconds": round(check.seconds, 3),
    }


def of_find(find: Find) -> dict[str, Any]:
    """A bucket over all checks."""
    return {**of_decided(find.shown), "checks": find.checks}


def of_decided(one: Decided) -> dict[str, Any]:
    """A find as one check decided it."""
    path = one.finding.path
    return {
        "bucket": str(one.finding.bucket),
        "standing": one.standing,
        "reason": one.reason,
        "case": str(path) if path else None,
    }
