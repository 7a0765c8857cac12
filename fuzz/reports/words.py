"""Sentences that several reports share."""

from __future__ import annotations

from fuzz.case import Call, Segment
from fuzz.verdict import Wrong


def of_segment(segment: Segment) -> str:
    """A segment in one line."""
    times = f", {segment.times} times" if segment.times > 1 else ""
    return f"segment at {segment.base}: {segment.blocks} blocks of {segment.page} bytes, {segment.stride} apart{times}"


def of_call(call: Call) -> str:
    """A call in one line."""
    what = "call" if call.op == "zero" else call.op
    words = [f"{what}: ids {list(call.raw) if call.raw is not None else call.ids or 'none'}"]
    words += [f"on stream {call.stream}"] if call.stream else []
    words += [f"after {', '.join(map(str, call.after))}"] if call.after else []
    words += ["captured in a graph"] if call.graph else []
    return "; ".join(words)


def of_region(wrong: Wrong) -> str:
    """A wrong region in one line."""
    return f"bytes {wrong.start} to {wrong.stop}: {wrong.kind}, {wrong.where}"
