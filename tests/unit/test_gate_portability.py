"""How many ids each device takes of a target."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz import messages
from fuzz.case import Case
from fuzz.gate.checks.portability import Margin, Portability, margin
from fuzz.target import beyond
from fuzz.verdict import Verdict
from kvzero.segments import Limits
from tests.gates import PASSED, Shows, grounded, reported


def _counted(tmp_path: Path, limits: Limits, grids: tuple, shows: Shows = lambda case: PASSED) -> str:
    """What portability says of a target that asks for such grids for each case within its limits."""
    ground, _ = grounded(tmp_path, shows, limits=limits)

    def rehearsed(case: Case, target: str) -> messages.Tried:
        words = beyond(limits, case)
        return messages.Tried(Verdict("declined", text=words)) if words else messages.Tried(shows(case), grids)

    ground.hands.rehearsed = rehearsed
    return reported(ground, Portability()).checks[0].words


@pytest.mark.parametrize(
    ("limits", "page"), [(Limits(), 65536), (Limits(unit=16, page=40_008), 40_000), (Limits(unit=32, page=32), 32)]
)
def test_ids_are_counted_on_a_page_that_the_target_takes(tmp_path: Path, limits: Limits, page: int) -> None:
    """A whole number of its units; what it declines has no grids, and would read as taken by all devices."""
    words = _counted(tmp_path, limits, ((1, 1, 1, 4),))
    assert words.startswith(f"64 segments of {page} bytes: h200 takes 131072 ids and more")


@pytest.mark.parametrize(
    ("limits", "shows", "words"),
    [
        (Limits(), lambda case: PASSED, "nothing was launched through Triton"),
        (
            Limits(),
            lambda case: Verdict("finding", "rejected", "constructor"),
            "a call of one id shows rejected:constructor",
        ),
        (Limits(unit=64, page=40), lambda case: PASSED, "declined: a page wider than page=40"),
    ],
)
def test_a_target_that_launches_nothing_has_no_count_of_ids(
    tmp_path: Path, limits: Limits, shows: Shows, words: str
) -> None:
    """No launch is no evidence: torch alone, a constructor that raises, limits that no page keeps."""
    assert _counted(tmp_path, limits, (), shows).endswith(f" bytes: {words}")


def test_ids_are_counted_to_the_last_that_a_device_takes() -> None:
    """A grid of ids on y ends at 65,535 on CUDA; time that is up ends counting without a figure."""
    launched = lambda ids: ((1, ids, 1, 4),)  # noqa: E731
    assert margin(launched, "h200", 2**17)[0] == 65_535
    assert margin(launched, "h200", 2**17).ruling.detail == "launch-y"
    assert margin(launched, "h200", 60_000) == Margin(60_000, None)
    assert margin(launched, "ascend910b", 2**17).ruling.detail == "launch-product"
    assert margin(lambda ids: None, "h200", 2**17) is None
