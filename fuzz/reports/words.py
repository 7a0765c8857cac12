"""Sentences that several reports share."""

from __future__ import annotations

from fuzz.case import Call, Case, Segment
from fuzz.layers import Place
from fuzz.verdict import Wrong


def of_segment(segment: Segment) -> str:
    """A segment in one line."""
    times = f", {segment.times} times" if segment.times > 1 else ""
    return f"segment at {segment.base}: {segment.blocks} blocks of {segment.page} bytes, {segment.stride} apart{times}"


def of_case(case: Case) -> list[str]:
    """A case's segments or layers and its calls, one line each; of a sequence, those of its cases in turn."""
    if not case.sequence:
        return [*of_cache(case), *map(of_call, case.calls)]
    lines = [of_sequence(case)]
    for index, member in enumerate(case.sequence):
        lines += [f"sequence[{index}]: {line}" for line in of_case(member)]
    return lines


def of_sequence(case: Case) -> str:
    """A sequence in one line."""
    return f"sequence of {len(case.sequence)} cases: in one batch, or one after the other in one process"


def of_cache(case: Case) -> list[str]:
    """A case's segments or layers, one line each."""
    if not case.layers:
        return [of_segment(segment) for segment in case.segments]
    lines = [f"cache of {case.num_blocks} blocks"]
    for number, pool in enumerate(case.pools):
        lines.append(f"pool {number}: {pool.order}, slots padded to {pool.align} bytes")
        lines += [f"  {of_place(place)}" for place in case.placed.places if place.layer.pool == number]
    return lines


def of_place(place: Place) -> str:
    """A layer in one line."""
    layer = place.layer
    unusual = (
        [layer.kind] * (layer.kind != "tensor") + ["expanded heads"] * layer.expanded + ["overlay"] * layer.overlay
    )
    tail = f" ({', '.join(unusual)})" if unusual else ""
    return (
        f"{layer.spec} layer at {place.offset}: {layer.dtype} {list(place.shape)}, {list(place.strides)} bytes apart, "
        f"{layer.ratio} kernel blocks a block{tail}"
    )


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
