"""Which sequences are legal: plain contract cases, two or more, that one process can hold in flight together."""

from __future__ import annotations

from fuzz.case import ALIGNMENT, SCHEMA, Case
from fuzz.layout import total

FEWEST = 2
"""Cases of a sequence: one by itself is written as itself."""

MEMBER_BYTES = 2**21
"""Most bytes of one case, guard zones included: what a batch takes."""

ALL_BYTES = 2**25
"""Most bytes of all cases: two batches, for so many may be in flight when a worker ends."""

_EMPTY: dict[str, object] = {
    "calls": (),
    "guard": 0,
    "pools": (),
    "num_blocks": 0,
    "blocks_known": True,
    "cold": False,
}
"""Fields that say nothing of a sequence, and the value that they have there."""

_OF_THE_FILE: dict[str, object] = {"schema": SCHEMA, "title": "", "finds": {}, "origin": None}
"""Fields that a sequence has for all of its cases."""


def broken_rule(case: Case) -> str | None:
    """The first rule that a sequence breaks, as ``field=value: rule; way out``; its cases are legal by themselves."""
    if case.domain != "contract":
        return f"domain={case.domain!r}: a sequence is of contract cases"
    if len(case.sequence) < FEWEST:
        return f"sequence: {len(case.sequence)} case; must be {FEWEST} or more, write a single one by itself"
    for name, empty in _EMPTY.items():
        if getattr(case, name) != empty:
            return f"{name}: a sequence has none of its own; give it to the cases"
    for index, member in enumerate(case.sequence):
        broken = _member(member)
        if broken:
            return f"sequence[{index}].{broken}"
    return None


def _member(case: Case) -> str | None:
    if case.sequence:
        return "sequence: a sequence holds no sequence; list its cases in the outer one"
    for name, empty in _OF_THE_FILE.items():
        if getattr(case, name) != empty:
            return f"{name}={getattr(case, name)!r}: belongs to the whole sequence; delete it here"
    if case.domain != "contract":
        return f"domain={case.domain!r}: must be 'contract' in a sequence; write a hostile case by itself"
    if case.overlaps:
        return "calls: in a sequence they are made one by one; write calls in flight together as a case by itself"
    return None


def too_large(case: Case) -> str | None:
    """Which bytes of a sequence of legal cases are too many to be in flight together; None if none are."""
    taken = 0
    for index, member in enumerate(case.sequence):
        size = total(member)
        if size > MEMBER_BYTES:
            return f"sequence[{index}]: takes {size} bytes with its guard zones; must be {MEMBER_BYTES} or less"
        taken += -(-size // ALIGNMENT) * ALIGNMENT
    if taken > ALL_BYTES:
        return f"sequence: its cases take {taken} bytes together; must be {ALL_BYTES} or less, leave some out"
    return None
