"""The report of a run as one JSON object."""

from __future__ import annotations

import json

from fuzz.events import Report


def as_json(report: Report) -> str:
    """Counts, seed, stop reason and finds, sorted by bucket; known finds say so.

    A run of an enumerated profile tells how many cases there are and how many were tried.
    """
    counts = dict(report.counts)
    counts["findings"] = counts.pop("finding")
    finds = [
        {
            "bucket": str(find.bucket),
            "case": str(find.path) if find.path else None,
            "count": find.count,
            "known": find.known,
            "label": find.label,
        }
        for find in report.distinct
    ]
    return json.dumps(
        {
            "attempted": report.attempted,
            **counts,
            "seed": report.seed,
            "stop_reason": report.stop_reason,
            "trouble": report.trouble,
            **({"exhaustive": {"size": report.whole.size, "done": report.done}} if report.whole else {}),
            "open": [one._asdict() for one in report.open],
            "finds": sorted(finds, key=lambda find: str(find["bucket"])),
        },
        indent=2,
    )
