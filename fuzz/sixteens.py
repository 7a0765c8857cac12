"""Counts of ids in multiples of sixteen, which Triton compiles a variant of a kernel for.

It knows three classes of an integer argument: 1, multiples of 16, and the rest. One list in thirty or so has the
second by chance, too few for the one case in sixteen that tells what a warm-up left out.
"""

from __future__ import annotations

from msgspec.structs import replace

from fuzz.case import Case
from fuzz.ids import Ids, Run

SIXTEEN = 16


def rounded_up(case: Case) -> Case:
    """The case with the first list that has ids at a multiple of sixteen: its last id comes again.

    Later calls keep their counts, so that one zeroer is asked for both. Hostile calls and calls in flight together,
    where an id may not come twice, are left as they are.
    """
    if case.domain != "contract" or case.overlaps:
        return case
    for number, call in enumerate(case.calls):
        if missing := -len(call.ids) % SIXTEEN:
            last = call.ids.runs[-1].last
            longer = replace(call, ids=Ids((*call.ids.runs, Run(last, last, missing))))
            return replace(case, calls=(*case.calls[:number], longer, *case.calls[number + 1 :]))
        if call.ids:
            return case
    return case
