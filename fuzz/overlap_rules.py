"""Which cases of calls in flight together are legal: those whose last bytes are decided by their order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from fuzz.case import STREAMS, WHOLE, Call, Case
from oracles import ordering

MOST_CALLS = 64
"""Calls in flight together; each write has a pattern of its own, and a byte has 255 that are not zero."""

MOST_IDS = 2**16
"""Ids of all calls: such a case is about order, not about counts."""


def steps(calls: Sequence[Call]) -> list[ordering.Step]:
    """The calls as the oracle sees them."""
    return [ordering.Step(c.op, frozenset(c.ids.distinct().tolist()), c.stream, c.after) for c in calls]


def broken_overlap(case: Case) -> str | None:
    """The first rule that a case of calls in flight together breaks; None for a legal one."""
    if case.domain != "contract":
        return f'domain={case.domain}: its calls are made one by one; leave out stream, after, graph and op "write"'
    if len(case.calls) > MOST_CALLS:
        return f"calls: {len(case.calls)} in flight together; at most {MOST_CALLS}"
    if sum(len(call.ids) for call in case.calls) > MOST_IDS:
        return f"calls: more than {MOST_IDS} ids in flight together; such a case is about order, not about counts"
    if case.end > WHOLE:
        return f"segments: an arena of {case.end} bytes; calls in flight together have at most {WHOLE}"
    if all(call.op == "write" for call in case.calls):
        return 'calls: none of them is of the zeroer; give one op "zero"'
    for index, call in enumerate(case.calls):
        broken = _call(call, index)
        if broken:
            return f"calls[{index}].{broken}"
    writes = any(call.op == "write" for call in case.calls)
    return _undefined(case) or (_shared(case) if writes else None)


def _call(call: Call, index: int) -> str | None:
    if not 0 <= call.stream < STREAMS:
        return f"stream={call.stream}: must be 0 to {STREAMS - 1}; 0 is the current stream"
    for earlier in call.after:
        if not 0 <= earlier < index:
            return f"after={list(call.after)}: {earlier} is no earlier call; name indices below {index}"
    if list(call.after) != sorted(set(call.after)):
        return f"after={list(call.after)}: must ascend without repeats; write {sorted(set(call.after))}"
    if call.graph and call.op == "write":
        return 'graph=true: only calls of the zeroer are captured; leave it out, or say "op": "zero"'
    return None


def _undefined(case: Case) -> str | None:
    found = ordering.clash(steps(case.calls))
    if found is None:
        return None
    first, second, block = found
    ops = f"{case.calls[first].op} and {case.calls[second].op}"
    return (
        f"calls[{second}].after={list(case.calls[second].after)}: not ordered with calls[{first}], and both touch "
        f"block {block} ({ops}), so that no result is right; add {first}, or make both on one stream"
    )


def _shared(case: Case) -> str | None:
    """Bytes that belong to two blocks: a write to one would touch the other."""
    extents = sorted((s.base, s.base + (s.blocks - 1) * s.stride + s.page, i) for i, s in enumerate(case.segments))
    for (_, stop, one), (start, _, other) in pairwise(extents):
        if start < stop:
            return (
                f"segments[{other}].base={start}: inside segments[{one}]; a case that writes has its segments side "
                f"by side; move it to {stop}"
            )
    for index, segment in enumerate(case.segments):
        if segment.times > 1:
            return f"segments[{index}].times={segment.times}: must be 1 in a case that writes"
    return None
