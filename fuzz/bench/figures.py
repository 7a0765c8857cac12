"""What a row says of its rounds: the median, and how far the machine drifted."""

from __future__ import annotations

from statistics import median


def rates(cases: int, seconds: list[float]) -> dict[str, float]:
    """Cases a second over rounds of ``cases`` cases each."""
    return {
        "cases": cases,
        "rounds": len(seconds),
        "cases_per_second": round(cases / median(seconds), 1),
        "fastest": round(cases / min(seconds), 1),
        "slowest": round(cases / max(seconds), 1),
    }
