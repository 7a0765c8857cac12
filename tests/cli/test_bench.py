"""Measurements run to their end, and their figures are of something."""

from __future__ import annotations

import json
from collections.abc import Callable


def test_bench_engines(kvzero: Callable) -> None:
    """Both engines pass the fixed cases; the large launch is the one that was meant; the simulator is faster."""
    run = kvzero("bench", "engines", "--json")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    simulator, interpreter, large = report["rows"]
    assert (simulator["engine"], interpreter["engine"]) == ("simulator", "interpreter")
    assert simulator["cases"] == interpreter["cases"] == 200
    assert large["programs"] == 12_434_700
    assert large["bytes_cleared"] > 24e9
    assert report["speedup"] > 20
    assert report["machine"]["cores"] > 0
