"""Pictures: exactly what a user sees."""

from __future__ import annotations

from fuzz.case import Call, Case, Segment
from fuzz.ids import Ids
from fuzz.reports.page_map import LEGEND, WRITTEN, page_map
from fuzz.verdict import Verdict, Wrong


def _case(*segments: Segment, ids: str, domain: str = "contract") -> Case:
    return Case(
        schema=1, domain=domain, guard=64, segments=segments, calls=(Call("zero", Ids.parse(ids)),), title="A case"
    )


PADDED = _case(Segment(0, 3, 8, 12), Segment(64, 3, 4, 4, 2), ids="1")


def test_a_whole_picture() -> None:
    """Padding that was clobbered, a stale byte, and a block that was touched but not meant."""
    wrong = (
        Wrong(14, 15, "stale", "body"),
        Wrong(20, 24, "clobbered", "padding"),
        Wrong(24, 26, "clobbered", "other block"),
    )
    verdict = Verdict("finding", "clobbered", "padding", "6 bytes changed", wrong, 7, ("kernel(1, 2, 1)",))
    assert page_map(PADDED, "page_table", verdict) == (
        "A case\n"
        "page_table: clobbered:padding\n"
        "6 bytes changed\n"
        "launched kernel(1, 2, 1)\n"
        "\n"
        f"{LEGEND}\n"
        "segment at 0: 3 blocks of 8 bytes, 12 apart\n"
        "  block      1 00S00000|XXXX\n"
        "  block      2 XX......|....\n"
        "segment at 64: 3 blocks of 4 bytes, 4 apart, 2 times\n"
        "  block      1 0000|\n"
        "call: ids 1\n"
        "bytes 14 to 15: stale, body\n"
        "bytes 20 to 24: clobbered, padding\n"
        "bytes 24 to 26: clobbered, other block\n"
    )


def test_what_was_not_read_is_not_drawn_as_cleared() -> None:
    """An unproved case, a fault or a refusal says nothing about the bytes."""
    for verdict in (Verdict("unproved"), Verdict("infra"), Verdict("finding", "hung"), Verdict("finding", "rejected")):
        assert "block      1 ????????|????" in page_map(PADDED, "t", verdict)
        assert " 0" not in page_map(PADDED, "t", verdict).split(LEGEND)[1].split("block")[2]


def test_what_lies_past_the_regions_named_is_not_known() -> None:
    """Only the first regions are named; behind the last of them bytes may be anything."""
    verdict = Verdict("finding", "stale", "head", regions=(Wrong(12, 13, "stale", "head"),), wrong_bytes=9)
    assert "block      1 S???????|????" in page_map(PADDED, "t", verdict)


def test_long_cases_say_what_they_leave_out() -> None:
    """32 rows, and the number of blocks that are not shown."""
    long = _case(Segment(0, 20, 4, 4), Segment(96, 20, 4, 4), ids="0-19")
    text = page_map(long, "t", Verdict("passed"))
    assert text.count("  block") == 32
    assert "and 8 blocks more" in text


def test_a_page_of_another_segment_in_the_padding_is_meant() -> None:
    """Interleaved segments: a targeted page in another's stride was cleared as it had to be."""
    packed = _case(Segment(0, 2, 4, 12), Segment(4, 2, 4, 12), ids="0")
    assert "  block      0 0000|0000....\n" in page_map(packed, "t", Verdict("passed"))


def test_calls_in_flight_together() -> None:
    """Waits and streams in words; what somebody else wrote is no zero."""
    calls = (
        Call("zero", Ids.parse("0-1"), stream=1, graph=True),
        Call("write", Ids.parse("1"), after=(0,)),
        Call("zero", Ids.parse("2")),
    )
    case = Case(schema=1, domain="contract", guard=64, segments=(Segment(0, 3, 4, 8),), calls=calls, title="An order")
    verdict = Verdict("finding", "misordered", "zero-zero", "right alone", (Wrong(16, 20, "stale", "zero-zero"),), 4)
    assert page_map(case, "t", verdict) == (
        "An order\n"
        "t: misordered:zero-zero\n"
        "right alone\n"
        "\n"
        f"{LEGEND}\n"
        f"{WRITTEN}\n"
        "segment at 0: 3 blocks of 4 bytes, 8 apart\n"
        "  block      0 0000|....\n"
        "  block      1 wwww|....\n"
        "  block      2 SSSS|....\n"
        "call: ids 0-1; on stream 1; captured in a graph\n"
        "write: ids 1; after 0\n"
        "call: ids 2\n"
        "bytes 16 to 20: stale, zero-zero\n"
    )
