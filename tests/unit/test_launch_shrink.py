"""Shrinking launch finds on rehearsed grids: only what a real run shows is a find."""

from __future__ import annotations

import pytest

from fuzz.case import Call, Case, Segment
from fuzz.ids import Ids
from fuzz.shrink import shrink
from fuzz.verdict import Bucket, Verdict

MANY = Case(
    schema=1,
    domain="contract",
    guard=64,
    segments=(Segment(0, 1, 4096, 4096, 70_000),),
    calls=(Call("zero", Ids.parse("0*40000")),),
)
BUCKET = Bucket("t", "h200", "rejected", "launch-y")
LIMIT = Verdict("finding", "rejected", "launch-y")
SKIPPED = Verdict("finding", "skipped", "product")


@pytest.mark.parametrize(("really", "told"), [(SKIPPED, 1), (Verdict("unproved"), 0)])
def test_another_bucket_in_a_rehearsal_is_run_once_for_real(really: Verdict, told: int) -> None:
    """Many rehearsals are skipped; one of them is run, and what that shows is told or not."""
    real: list[Case] = []
    others: list[Verdict] = []

    def attempt(case: Case, *, rehearse: bool = False) -> Verdict:
        segments = sum(segment.times for segment in case.segments)
        rejected = segments >= 65_536
        if not rehearse and not rejected:
            real.append(case)
            return really
        return LIMIT if rejected else SKIPPED

    shrunk = shrink(
        MANY,
        BUCKET,
        attempt,
        profile="launch",
        unit=4,
        seconds=60,
        on_other=lambda case, verdict: others.append(verdict),
    )
    assert sum(segment.times for segment in shrunk.case.segments) == 65_536
    assert len(real) == 1
    assert others == [SKIPPED] * told
