"""Finds that may stay for a while."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest

from fuzz.errors import UsageError
from fuzz.gate import waivers
from fuzz.gate.checks.seeded_search import SeededSearch
from tests.gates import GUARD, PASSED, TAIL, grounded, reported, wide


def test_a_waived_find_is_shown_and_does_not_block(tmp_path: Path) -> None:
    """The owner stands beside it; a find of another bucket blocks as before."""
    waiver = waivers.Waiver("stale:tail", "known", "https://example.org/1", "ann", dt.date(2100, 1, 1))
    ground, events = grounded(tmp_path, wide(TAIL), lambda case: PASSED)
    ground.waivers = {"stale:tail": waiver, "wrong:head": waiver}
    report = reported(ground, SeededSearch())
    assert report.verdict == "yes"
    assert (report.finds[0].shown.standing, "ann" in report.finds[0].shown.reason) == ("waived", True)
    assert any("wrong:head was not met" in getattr(event, "text", "") for event in events)
    ground, _ = grounded(tmp_path, wide(TAIL), wide(TAIL))
    ground.waivers = {"stale:tail": waiver}
    assert reported(ground, SeededSearch()).finds[0].shown.standing == "old"
    ground, _ = grounded(tmp_path, wide(GUARD), lambda case: PASSED)
    ground.waivers = {"stale:tail": waiver}
    assert reported(ground, SeededSearch()).verdict == "no"


TOML = """[[waivers]]
bucket = "stale:tail"
reason = "known"
link = "https://example.org/1"
owner = "ann"
expires = 2030-01-02
"""


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("2030-01-02", "2029-12-31", "stale:tail of ann has expired"),
        ('"stale:tail"', '"stall:tail"', "must be kind or kind:detail"),
        ('"ann"', '" "', "owner: is empty"),
        ("owner = ", "owners = ", "unknown field `owners`"),
        ("2030-01-02", '"soon"', "Invalid RFC3339"),
        ("[[waivers]]", "[[waivers]", "each waiver has bucket, reason, link, owner, expires"),
    ],
)
def test_a_waiver_that_is_no_good_is_named(tmp_path: Path, before: str, after: str, words: str) -> None:
    """Expired, malformed, or half said: the file and the waiver stand in the error."""
    path = tmp_path / "waivers.toml"
    path.write_text(TOML)
    assert list(waivers.read(path, dt.date(2030, 1, 2))) == ["stale:tail"]
    path.write_text(TOML.replace(before, after))
    with pytest.raises(UsageError, match=f"waivers={path}.*{words}"):
        waivers.read(path, dt.date(2030, 1, 1))


def test_waivers_may_be_json_and_only_once(tmp_path: Path) -> None:
    """The same fields; a bucket that is there twice is refused."""
    one = {"bucket": "hung", "reason": "r", "link": "l", "owner": "o", "expires": "2030-01-02"}
    path = tmp_path / "waivers.json"
    path.write_text(json.dumps({"waivers": [one]}))
    assert waivers.read(path, dt.date(2030, 1, 1))["hung"].expires == dt.date(2030, 1, 2)
    path.write_text(json.dumps({"waivers": [one, one]}))
    with pytest.raises(UsageError, match="is there twice"):
        waivers.read(path, dt.date(2030, 1, 1))
