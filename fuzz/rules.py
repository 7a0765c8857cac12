"""Which cases are legal: the contract and the hostile domain, told apart before anything runs."""

from __future__ import annotations

from typing import Any

from fuzz import layer_rules, sequence_rules
from fuzz.case import LARGEST_BLOCKS, LARGEST_BYTES, MOST_SEGMENTS, Call, Case, Segment
from fuzz.overlap_rules import broken_overlap


def broken_rule(case: Case) -> str | None:
    """The first rule that a case breaks, as ``field=value: rule; way out``; None for a legal case."""
    if bool(case.segments) + bool(case.layers) + bool(case.sequence) != 1:
        return "segments, layers, sequence: a case has one of them, with at least one entry"
    return _sequence(case) if case.sequence else _single(case)


def _single(case: Case) -> str | None:
    if not case.calls:
        return 'calls=[]: a case makes at least one call, for instance {"ids": "0", "op": "zero"}'
    if case.guard < 0 or case.guard > LARGEST_BYTES:
        return f"guard={case.guard}: must be 0 to 2^47 bytes"
    if sum(segment.times for segment in case.segments) > MOST_SEGMENTS:
        return f"segments: more than {MOST_SEGMENTS} counting times; no launch holds that many"
    for index, segment in enumerate(case.segments):
        broken = _segment(segment)
        if broken:
            return f"segments[{index}].{broken}"
    broken = layer_rules.broken_rule(case)
    if broken:
        return broken
    for index, call in enumerate(case.calls):
        broken = _call(call, case)
        if broken:
            return f"calls[{index}].{broken}"
    return broken_overlap(case) if case.overlaps else None


def _sequence(case: Case) -> str | None:
    broken = sequence_rules.broken_rule(case)
    if broken:
        return broken
    for index, member in enumerate(case.sequence):
        broken = broken_rule(member)
        if broken:
            return f"sequence[{index}].{broken}"
    return sequence_rules.too_large(case)


def _segment(segment: Segment) -> str | None:
    for name in ("blocks", "page", "stride", "times"):
        value = getattr(segment, name)
        if value < 1:
            return f"{name}={value}: must be 1 or more"
    if max(abs(segment.base), segment.page, segment.stride) >= LARGEST_BYTES:
        return f"base={segment.base}, stride={segment.stride}, page={segment.page}: must lie below 2^47"
    if segment.blocks > LARGEST_BLOCKS:
        return f"blocks={segment.blocks}: must be 2^48 or less"
    if segment.page > segment.stride and segment.blocks > 1:
        return (
            f"page={segment.page}: wider than stride={segment.stride}, so that blocks overlap; "
            "widen the stride, or give the segment one block"
        )
    return None


def _call(call: Call, case: Case) -> str | None:
    if call.raw is not None:
        return _raw(call.raw, call, case)
    if not call.ids:
        return None
    if case.domain == "contract":
        if call.ids.low < 0:
            return f'ids={call.ids}: id {call.ids.low} is negative; say "domain": "hostile" to try it'
        if call.ids.high >= case.blocks:
            return (
                f"ids={call.ids}: id {call.ids.high} is past the last of {case.blocks} blocks; "
                'say "domain": "hostile" to try it'
            )
    return _outside(call, case)


def _raw(raw: tuple[Any, ...], call: Call, case: Case) -> str | None:
    if call.ids:
        return "raw: stands beside ids; a call has one of them"
    if case.domain != "hostile":
        return "raw: only in hostile cases"
    for value in raw:
        if not isinstance(value, int | float | None) or (isinstance(value, int) and not -(2**63) <= value < 2**64):
            return f"raw={value!r}: must be null, a boolean or a number, integers from -2^63 to 2^64-1"
    return None


def _outside(call: Call, case: Case) -> str | None:
    """Each page that a call may touch lies in the arena or, in hostile cases, in its guard zones."""
    guard = case.guard if case.domain == "hostile" else 0
    end = case.end + guard
    for index, segment in enumerate(case.segments):
        start = segment.base + call.ids.low * segment.stride
        if start < -guard:
            return (
                f"ids={call.ids}: block {call.ids.low} of segments[{index}] starts at byte {start}, "
                f"outside the arena; raise its base by {-guard - start}"
            )
        last = segment.base + call.ids.high * segment.stride
        if abs(last) >= LARGEST_BYTES or last + segment.page > end:
            return (
                f"ids={call.ids}: block {call.ids.high} of segments[{index}] ends at byte {last + segment.page}, "
                f"past the {end} bytes of arena and guard"
            )
    return None


def hostile_rule(case: Case, call: Call, unit: int) -> str | None:
    """The rule that a call of a hostile case breaks for a target of that unit; the detail of its bucket.

    None if nothing in the call is hostile to the target. An id past the last block is hostile only
    where the table tells the number of blocks.
    """
    for value in call.raw or ():
        if isinstance(value, bool):
            return "bool-id"
        if value is None:
            return "none-id"
        if not isinstance(value, int):
            return "float-id"
        if not -(2**63) <= value < 2**63:
            return "huge-id"
    ids = [*(call.raw or ()), *([call.ids.low, call.ids.high] if call.ids else [])]
    if any(block < 0 for block in ids):
        return "negative-id"
    if case.blocks_known and any(block >= case.blocks for block in ids):
        return "id-past-blocks"
    return None if case.keeps(unit) else "unit"
