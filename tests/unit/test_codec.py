"""Case files: strict reading, canonical writing."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from fuzz import codec
from fuzz.build import build
from fuzz.case import Call
from fuzz.errors import CaseError
from fuzz.ids import Ids
from fuzz.profiles import BY_NAME
from fuzz.source import Recorder

TEXT = """{
  "calls": [{"ids": "1", "op": "zero"}],
  "domain": "contract",
  "finds": {"page_table@h200": "clobbered:padding"},
  "guard": 256,
  "origin": {"kind": "history", "ref": "vllm#50276"},
  "schema": 1,
  "segments": [
    {"base": 0, "blocks": 4, "page": 1168, "stride": 1184}
  ],
  "title": "a page cleared as wide as its block stride"
}
"""


def test_a_case_is_written_as_it_was_read() -> None:
    """Keys are sorted, a segment stands on a line, defaults are left out."""
    assert codec.encode(codec.decode(TEXT)) == TEXT


@pytest.mark.parametrize("profile", BY_NAME)
def test_every_drawn_case_survives_the_file(profile: str) -> None:
    """What the search draws is legal, and reads back equal."""
    for seed in range(200):
        case = build(Recorder(seed), profile)
        assert codec.decode(codec.encode(case)) == case


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ('"title": "a', '"title": 3, "b": "a', "unknown field `b`|Expected `str`"),
        ('"guard": 256,', "", "missing required field `guard`"),
        ('"guard": 256', '"guard": "256"', r"Expected `int`, got `str` - at `\$.guard`"),
        ('"guard": 256', '"guard": -1', "guard=-1: must be"),
        ('"page": 1168', '"page": -4', r"segments\[0\].page=-4: must be 1 or more"),
        ('"page": 1168', '"page": 0', r"segments\[0\].page=0: must be 1 or more"),
        ('"page": 1168', '"page": 1188', r"page=1188: wider than stride=1184"),
        ('"blocks": 4', '"blocks": true', "Expected `int`, got `bool`"),
        ('"blocks": 4', '"blocks": 4.5', "Expected `int`, got `float`"),
        ('"base": 0', '"base": -1', r"block 1 of segments|starts at byte"),
        ('"ids": "1"', '"ids": "4"', r"id 4 is past the last of 4 blocks"),
        ('"ids": "1"', '"ids": "-1"', "id -1 is negative"),
        ('"ids": "1"', '"ids": "1-"', "ids part '1-'"),
        ('"ids": "1"', '"ids": 1', "ids are written as text"),
        ('"ids": "1"', '"raw": [1.5]', "raw: only in hostile cases"),
        ('"schema": 1', '"schema": 2', "schema=2: this kvzero reads schema 1"),
        ('"op": "zero"', '"op": "copy"', "Invalid enum value 'copy'"),
        ('"domain": "contract"', '"domain": "friendly"', "Invalid enum value 'friendly'"),
        ("page_table@h200", "page_table", "finds key 'page_table': must be target@device-profile"),
        ("page_table@h200", "page_table@tpu", "finds key 'page_table@tpu': .* one of h200, "),
        ("clobbered:padding", "clobered:padding", "'clobered:padding': must be kind:detail"),
        ('"ids": "1"', '"ids": "0*99999999999999"', "holds at most 16777216 ids"),
        ('"ids": "1"', '"ids": "0-99999999999999"', "holds at most 16777216 ids"),
    ],
)
def test_a_broken_rule_is_named(old: str, new: str, names: str) -> None:
    """The error names the file, the field, its value and the rule."""
    changed = TEXT.replace(old, new)
    assert changed != TEXT
    if '"base": -1' in new:
        changed = changed.replace('"ids": "1"', '"ids": "0"')
    with pytest.raises(CaseError, match=f"^here.json: .*({names})"):
        codec.decode(changed, "here.json")


@pytest.mark.parametrize("text", [TEXT[:40], "[]", "3", "", "\x00", '{"calls": []}'])
def test_what_is_no_case_is_refused(text: str) -> None:
    """Truncated text and other JSON are errors that name the file."""
    with pytest.raises(CaseError, match=r"^here\.json: "):
        codec.decode(text, "here.json")


@pytest.mark.parametrize(
    ("call", "names"),
    [
        ('{"op": "zero", "raw": [36893488147419103232]}', r"raw=36893488147419103232: must be"),
        ('{"op": "zero", "raw": ["x"]}', "raw='x': must be"),
        ('{"ids": "1", "op": "zero", "raw": [1]}', "a call has one of them"),
        ('{"ids": "5", "op": "zero"}', r"block 5 of segments\[0\] ends at byte 7088, past"),
        ('{"ids": "-2", "op": "zero"}', r"block -2 of segments\[0\] starts at byte -2368"),
    ],
)
def test_hostile_calls_have_rules_too(call: str, names: str) -> None:
    """Raw ids fit in 64 bits, and stray pages land in guard zones, where they are seen."""
    text = TEXT.replace('"contract"', '"hostile"').replace('{"ids": "1", "op": "zero"}', call)
    with pytest.raises(CaseError, match=names):
        codec.decode(text)


def test_equal_cases_have_one_text() -> None:
    """An empty list of ids is written, and none beside raw ids, however the call was made."""
    plain = codec.decode(TEXT)
    for one, other in [
        (Call("zero"), Call("zero", Ids(()))),
        (Call("zero", raw=(1.5,)), Call("zero", Ids(()), raw=(1.5,))),
    ]:
        texts = {codec.encode(replace(plain, domain="hostile", calls=(call,))) for call in (one, other)}
        assert len(texts) == 1
        assert codec.file_name(codec.decode(texts.pop())) == codec.file_name(
            replace(plain, domain="hostile", calls=(one,))
        )


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The error of a file that is not there names it and a way out."""
    with pytest.raises(CaseError, match=r"nowhere.json: No such file.*kvzero corpus list"):
        codec.read(tmp_path / "nowhere.json")


def test_the_name_follows_title_and_content_alone() -> None:
    """Labels do not change the digits of a name; a byte of geometry does."""
    case = codec.decode(TEXT)
    name = codec.file_name(case)
    assert name.startswith("a-page-cleared-as-wide-as-its-block-stride-")
    assert codec.file_name(codec.decode(TEXT.replace("vllm#50276", "vllm#1"))) == name
    assert codec.file_name(codec.decode(TEXT.replace("1184", "1188")))[-13:] != name[-13:]
