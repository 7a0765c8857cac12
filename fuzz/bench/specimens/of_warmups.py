"""Faults of the warm-up: a variant that is compiled inside the first request that needs it."""

from __future__ import annotations

from fuzz.bench.specimens.models import table_case
from fuzz.bench.specimens.specimen import Predicate, Specimen, target
from fuzz.case import Case, Segment


def _warm(case: Case) -> bool:
    """Whether the warm-up is run: not on a cold case, and not where block 0 has no memory."""
    return not case.cold and case.whole


def _asked_for(*counts: int) -> Predicate:
    """Whether a warm case asks for a number of ids that the warm-up's ``counts`` do not stand for.

    Triton tells apart 1, multiples of 16, and the rest.
    """
    known = {_class(count) for count in counts}
    return lambda case: _warm(case) and any(_class(len(call.ids)) not in known for call in case.calls if call.ids)


def _class(count: int) -> str:
    return "one" if count == 1 else "sixteens" if count % 16 == 0 else "other"


def _fewer_programs(case: Case) -> bool:
    """The constexpr is 1 in the warm-up, and the number of ids, up to 8, in a call."""
    return _warm(case) and any(len(call.ids) > 1 for call in case.calls)


ONE = Segment(0, 1, 4, 4)

SPECIMENS = (
    Specimen(
        "one-count", (27,), "vllm#43009, #45198", "a warm-up with one id, though the kernel is specialised on n",
        target("warming", "one_count"), ("recompiled:n_blocks",), _warm, _asked_for(1), table_case(ONE, ids="0*2"),
    ),
    Specimen(
        "two-counts", (28,), "vllm#46215", "a warm-up with one id and with two leaves out the multiples of 16",
        target("warming", "two_counts"), ("recompiled:n_blocks",), _warm, _asked_for(1, 2), table_case(ONE, ids="0*16"),
    ),
    Specimen(
        "grid-size", (29,), "vllm-ascend's GRID_SIZE", "the number of programs is a compile-time constant",
        target("warming", "grid_size"), ("recompiled:GRID_SIZE",), _warm, _fewer_programs, table_case(ONE, ids="0*2"),
    ),
    Specimen(
        "no-count", (62,), "tt-metal#53508", "nothing is compiled before the first request",
        target("warming", "no_count"), ("recompiled:whole kernel",), _warm, _asked_for(), table_case(ONE),
    ),
)  # fmt: skip
