"""What README says was measured is what the committed scoreboards hold."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from fuzz.bench.scoreboard_page import page
from fuzz.bench.scoreboard_rows import Row, runs_of
from fuzz.bench.survival import median
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BOARDS = ROOT / "docs" / "scoreboard"


def _board(kind: str) -> dict[str, Any]:
    return json.loads((BOARDS / kind / "scoreboard.json").read_text(encoding="utf-8"))


def _medians(kind: str) -> dict[str, int | None]:
    """Cases until ours finds each subject."""
    report = _board(kind)
    rows: dict[str, list[Row]] = {}
    for row in report["rows"]:
        if row["finder"] == "ours":
            rows.setdefault(row["name"], []).append(row)
    assert {len(runs) for runs in rows.values()} == {20}
    return {name: median(runs_of(runs, report["cases"])) for name, runs in rows.items()}


def test_the_medians_of_the_specimens() -> None:
    """Each specimen stands in the row of its median, and each was found by every seed."""
    said = {
        name: int(cases)
        for cases, names in re.findall(r"^\| (\d+) \| (`[a-z].*`) \|$", README, re.MULTILINE)
        for name in re.findall(r"`([^`]+)`", names)
    }
    assert said == _medians("specimens") | _medians("gpu")
    assert all(row["found"] for kind in ("specimens", "gpu") for row in _board(kind)["rows"] if row["finder"] == "ours")


def test_the_medians_of_the_generations() -> None:
    """A row of README's table for each fault of each generation."""
    said, target = {}, ""
    for name, label, cases in re.findall(r"^\| (\S*) ?\|[^|]*\| `([a-z]+:\S+)` \| (\d+) \|", README, re.MULTILINE):
        target = name.strip("`") or target
        said[f"{target} {label}"] = int(cases)
    assert said == _medians("generations")


@pytest.mark.parametrize("kind", ["specimens", "gpu", "generations", "mutants"])
def test_a_committed_page_is_that_of_its_rows(kind: str) -> None:
    """Nobody wrote into it, and it is the page that today's code makes of them."""
    assert (BOARDS / kind / "scoreboard.md").read_text(encoding="utf-8") == page(_board(kind))
