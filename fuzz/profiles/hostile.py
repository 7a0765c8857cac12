"""Arguments that a zeroer must refuse before it writes a byte.

Ids below zero or past the last block, drawn so that a stray write lands in a guard zone; ids that
are no 64-bit integers; sizes below the target's unit.
"""

from __future__ import annotations

from msgspec.structs import replace

from fuzz.case import Call, Case
from fuzz.ids import Ids, Run
from fuzz.profiles import parts, small
from fuzz.source import Source, Trace, Untraceable

KINDS = ("negative-id", "id-past-blocks", "float-id", "bool-id", "none-id", "huge-id", "unit")
_RAW = {"float-id": 0.5, "bool-id": True, "none-id": None, "huge-id": 2**63}


def build(source: Source, unit: int) -> Case:
    """Draw a small legal case and break one rule of it."""
    kind = KINDS[source.integer(0, len(KINDS) - (1 if unit > 1 else 2))]
    return _spoil(small.build(source, unit), kind, unit)


def trace(case: Case, unit: int) -> list[int]:
    """The choices that make :func:`build` draw this case.

    Raises:
        Untraceable: if it never would.
    """
    for index, kind in enumerate(KINDS[: None if unit > 1 else -1]):
        legal = _mend(case, kind, unit)
        if legal is not None and _spoil(legal, kind, unit) == case:
            to = Trace()
            to.integer(0, len(KINDS) - (1 if unit > 1 else 2), index)
            return to.choices + small.trace(legal, unit)
    raise Untraceable("no single rule that this profile breaks")


def _spoil(case: Case, kind: str, unit: int) -> Case:
    if kind == "unit":
        first, *others = case.segments
        segments = (replace(first, stride=first.stride + unit // 2), *others)
        return parts.guarded(replace(case, domain="hostile", segments=segments))
    call = case.calls[0]
    if kind in _RAW:
        hostile = Call("zero", raw=(_RAW[kind],))
    else:
        stray = -1 if kind == "negative-id" else case.blocks
        hostile = Call("zero", Ids((*call.ids.runs, Run(stray, stray))))
    return replace(case, domain="hostile", blocks_known=True, calls=(hostile, *case.calls[1:]))


def _mend(case: Case, kind: str, unit: int) -> Case | None:
    first, *others = case.calls
    if kind == "unit":
        odd, *rest = case.segments
        even = replace(odd, stride=odd.stride - unit // 2)
        return parts.guarded(replace(case, domain="contract", segments=(even, *rest)))
    if kind in _RAW:
        legal = Call("zero")
    elif first.ids:
        legal = Call("zero", Ids(first.ids.runs[:-1]))
    else:
        return None
    return replace(case, domain="contract", calls=(legal, *others))
