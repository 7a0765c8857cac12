"""The rows of a report: which count, and what each says as a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from fuzz.bench.survival import Run

Row = dict[str, Any]

UNCOMPILABLE = "rejected:compile"


def counted(report: dict[str, Any], kind: str) -> list[Row]:
    """The rows of one kind of subject; what does not compile is no subject."""
    return [row for row in report["rows"] if row["kind"] == kind and row["bucket"] != UNCOMPILABLE]


def runs_by_finder(report: dict[str, Any], kind: str) -> dict[str, list[Run]]:
    """All runs of each finder on subjects of a kind."""
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    for row in counted(report, kind):
        rows[row["finder"]].append(row)
    return {finder: runs_of(mine, report["cases"]) for finder, mine in rows.items()}


def runs_of(rows: Sequence[Row], limit: int) -> list[Run]:
    """The rows of one finder as runs.

    One without a find is censored at the limit. A suite of its own size, which is at its end without a find, would
    find nothing later either; so where a suite finds something beyond the limit, all that it does not find is still
    at risk then.
    """
    end = max([limit, *(row["cases"] for row in rows if row["found"])])
    return [Run(row["cases"] if row["found"] else end, row["found"]) for row in rows]
