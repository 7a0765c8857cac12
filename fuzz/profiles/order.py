"""Calls in flight together: on several streams, some waiting for others, some of them writes.

The caches are small, because only the order matters: one to four segments side by side, up to eight
blocks, pages of up to 4 KB. Most lists of ids in a case are equally long, since staging buffers are
reused by length; there are more calls than any ring of buffers is likely to have. In one case of eight
calls are captured into CUDA graphs.
"""

from __future__ import annotations

from msgspec.structs import replace

from fuzz.case import STREAMS, Call, Case, Segment
from fuzz.ids import Ids
from fuzz.overlap_rules import steps
from fuzz.profiles import parts
from fuzz.source import Source, Trace, Untraceable
from oracles import ordering

SEGMENTS = 4
BLOCKS = 8
PAGE = 4096
STRIDES = 4
"""Pages that a stride is long at the most, as in profile small."""

GAP = 64
CALLS = 6
MORE_CALLS = 5
LENGTH = 4
SAME, OWN = 0, 3
"""Three lists of four are as long as the first."""

ZERO, WRITE = 0, 2
"""One call of three is a write."""

EDGE = 3
"""A call waits for one of four of the calls before it."""

EAGER, GRAPHS = 0, 7


def build(source: Source, unit: int) -> Case:
    """Draw a case of overlapping calls whose sizes are multiples of ``unit`` bytes."""
    step = parts.granule(source, unit)
    blocks = source.integer(1, BLOCKS)
    segments: list[Segment] = []
    end = 0
    while not segments or (len(segments) < SEGMENTS and source.integer(0, 1)):
        page = source.integer(1, PAGE // step)
        stride = page + source.integer(0, (STRIDES - 1) * page)
        base = end + source.integer(0, GAP) * step
        segments.append(Segment(base, blocks, page * step, stride * step))
        end = base + segments[-1].length
    streams = source.integer(1, STREAMS - 1)
    graphs = source.integer(EAGER, GRAPHS) == GRAPHS
    length = source.integer(1, LENGTH)
    calls: list[Call] = []
    while not calls or (len(calls) < CALLS and source.integer(0, MORE_CALLS)):
        calls.append(_call(source, calls, blocks, streams, length, graphs=graphs))
    return parts.assemble(source, segments, defined(calls))


def trace(case: Case, unit: int) -> list[int]:
    """The choices that make :func:`build` draw this case.

    Raises:
        Untraceable: if it never would.
    """
    to = Trace()
    step = parts.trace_granule(to, case, unit)
    blocks = to.integer(1, BLOCKS, case.blocks)
    end = 0
    for index, found in enumerate(case.segments):
        if index:
            to.integer(0, 1, 1)
        if found.blocks != blocks or found.times > 1:
            raise Untraceable("segments of different lengths")
        page = to.integer(1, PAGE // step, found.page // step)
        to.integer(0, (STRIDES - 1) * page, found.stride // step - page)
        to.integer(0, GAP, (found.base - end) // step)
        end = found.base + found.length
    if len(case.segments) > SEGMENTS or not 1 <= len(case.calls) <= CALLS:
        raise Untraceable("more segments or calls than this profile draws")
    if len(case.segments) < SEGMENTS:
        to.integer(0, 1, 0)
    streams = to.integer(1, STREAMS - 1, max(call.stream for call in case.calls))
    graphs = any(call.graph for call in case.calls)
    to.integer(EAGER, GRAPHS, GRAPHS if graphs else EAGER)
    length = to.integer(1, LENGTH, len(case.calls[0].ids) or 1)
    for index, call in enumerate(case.calls):
        if index:
            to.integer(0, MORE_CALLS, 1)
        _trace_call(to, call, index, blocks, streams, length, graphs=graphs)
    if len(case.calls) < CALLS:
        to.integer(0, MORE_CALLS, 0)
    return parts.trace_rest(to, case)


def defined(calls: list[Call]) -> list[Call]:
    """The calls with just enough waiting added that every block's last bytes are decided.

    One at least is of the zeroer, the last if need be.
    """
    if all(call.op == "write" for call in calls):
        calls = [*calls[:-1], replace(calls[-1], op="zero")]
    while found := ordering.clash(steps(calls)):
        first, second, _ = found
        waiting = replace(calls[second], after=tuple(sorted({*calls[second].after, first})))
        calls = [*calls[:second], waiting, *calls[second + 1 :]]
    return calls


def _call(source: Source, before: list[Call], blocks: int, streams: int, length: int, *, graphs: bool) -> Call:
    """The first call is never on the current stream, so that the case overlaps whatever else is drawn."""
    write = source.integer(ZERO, WRITE) == WRITE
    stream = source.integer(0 if before else 1, streams)
    if source.integer(SAME, OWN) == OWN:
        length = source.integer(0, LENGTH)
    ids = Ids.of(source.integer(0, blocks - 1) for _ in range(length))
    after = tuple(index for index in range(len(before)) if source.integer(0, EDGE) == EDGE)
    graph = bool(graphs and source.integer(0, 1))
    return Call("write" if write else "zero", ids, stream=stream, after=after, graph=graph and not write)


def _trace_call(to: Trace, call: Call, index: int, blocks: int, streams: int, length: int, *, graphs: bool) -> None:
    ids = call.ids.tolist()
    to.integer(ZERO, WRITE, WRITE if call.op == "write" else ZERO)
    to.integer(0 if index else 1, streams, call.stream)
    to.integer(SAME, OWN, SAME if len(ids) == length else OWN)
    if len(ids) != length:
        to.integer(0, LENGTH, len(ids))
    for block in ids:
        to.integer(0, blocks - 1, block)
    for earlier in range(index):
        to.integer(0, EDGE, EDGE if earlier in call.after else 0)
    if graphs:
        to.integer(0, 1, int(call.graph))
