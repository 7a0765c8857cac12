"""The rows of a report: which count, and what each says as a run."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from fuzz.bench.survival import Run

Row = dict[str, Any]


def counted(report: dict[str, Any], kind: str) -> list[Row]:
    """The rows of one kind of subject; what does not compile is no subject."""
    return [row for row in report["rows"] if row["kind"] == kind and row["bucket"] != "rejected:compile"]


def runs_by_finder(report: dict[str, Any], kind: str) -> dict[str, list[Run]]:
    """All runs of each finder on subjects of a kind."""
    found: defaultdict[str, list[Run]] = defaultdict(list)
    for row in counted(report, kind):
        found[row["finder"]].append(run_of(row, report["cases"]))
    return dict(found)


def run_of(row: Row, limit: int) -> Run:
    """A row as a run; a suite that is at its end without a find would find nothing later either."""
    return Run(row["cases"] if row["found"] else limit, row["found"])
