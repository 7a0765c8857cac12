"""What can be seen of planted faults of order without a GPU."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing

from fuzz.build import numbered
from fuzz.checking import Checker
from tests.conftest import PLANTED


def _planted(name: str) -> str:
    return f"{PLANTED.with_name('planted_order.py')}:{name}"


def test_a_tile_cached_by_address_takes_two_cases() -> None:
    """A search in one process meets tables that lie where others lay; by itself each case is right."""
    target = _planted("cached_tile")
    cases = [numbered(1, index, ("small",))[0] for index in range(200)]
    with closing(Checker((target,), "simulator")) as checker:
        labels = [checker.attempt(case, target).label() for case in cases]
    assert {"passed", "stale:tail"} <= set(labels) <= {"passed", "stale:tail", "stale:body"}
    with closing(Checker((target,), "simulator")) as checker:
        assert checker.attempt(cases[labels.index("stale:tail")], target).label() == "passed"


def test_without_a_gpu_profile_order_proves_nothing(kvzero: Callable) -> None:
    """The run says so and ends with 3, on both engines."""
    for engine in ("simulator", "interpreter"):
        run = kvzero(
            "fuzz", "--profile", "order", "--cases", "30", "--seed", "1", "--corpus", "found", "--engine", engine,
            "--json",
        )  # fmt: skip
        assert run.returncode == 3, run.stderr
        report = json.loads(run.stdout)
        assert report["attempted"] == 30 == report["unproved"] + report["declined"]
        assert report["unproved"] > 20
        assert "unproved" in run.stderr
        assert "a GPU can" in run.stderr
