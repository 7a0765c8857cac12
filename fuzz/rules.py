"""Which cases are legal: the contract and the hostile domain, told apart before anything runs."""

from __future__ import annotations

from fuzz.case import LARGEST_BLOCKS, LARGEST_BYTES, MOST_SEGMENTS, Call, Case, Segment

CONTRACT_UNIT = 1
"""A contract case may be granular to the byte; targets state a coarser unit as a limit."""


def broken_rule(case: Case) -> str | None:
    """The first rule that a case breaks, as ``field=value: rule; way out``; None for a legal case."""
    if not case.segments:
        return "segments=[]: a case has at least one segment"
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
    for index, call in enumerate(case.calls):
        broken = _call(call, case)
        if broken:
            return f"calls[{index}].{broken}"
    return None


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
        if call.ids:
            return "raw: stands beside ids; a call has one of them"
        return None if case.domain == "hostile" else "raw: only in hostile cases"
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


def _outside(call: Call, case: Case) -> str | None:
    """Each page that a call may touch lies in the arena or its guard zones."""
    first = 0 if case.domain == "contract" else -case.guard
    for index, segment in enumerate(case.segments):
        start = segment.base + call.ids.low * segment.stride
        if start < first:
            return (
                f"ids={call.ids}: block {call.ids.low} of segments[{index}] starts at byte {start}, "
                f"outside the arena; raise its base by {first - start}"
            )
        if abs(segment.base + call.ids.high * segment.stride) >= LARGEST_BYTES:
            return f"ids={call.ids}: block {call.ids.high} of segments[{index}] lies past 2^47 bytes"
    return None
