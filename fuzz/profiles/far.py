"""Offsets past 2^31 elements and 2^32 bytes, most of them in an arena of megabytes.

Most cases bias the base: block ``i`` lies in the arena because ``base`` is ``i*stride`` bytes before
it, so that a kernel which computes the offset in 32 bits writes gigabytes away. Three in sixteen clear
up to 2^17 distinct blocks that lie 4 to 64 bytes apart; one in sixteen is as large as it says, for
engines with virtual memory.
"""

from __future__ import annotations

from fuzz.case import Call, Case, Segment
from fuzz.ids import Ids, Run
from fuzz.profiles import parts, vast
from fuzz.source import Source, Trace, Untraceable

SEGMENTS = 6
PAGE = 2**14
STRIDE = 2**36
OFFSET = 2**44
"""Most bytes from a base to its targeted block: the addresses still fit in 47 bits."""

GAP = 2**13
REPEATS = 4
DENSE_BLOCKS = 2**17
DENSE_STRIDE = 64
BIASED, DENSE, VAST = 0, 12, 15
"""Of sixteen cases twelve have biased bases, three many small blocks, one a cache of gigabytes."""


def build(source: Source, unit: int) -> Case:
    """Draw a case of one call whose sizes are multiples of ``unit`` bytes."""
    step = parts.granule(source, unit)
    kind = source.integer(BIASED, VAST)
    if kind == VAST:
        return vast.build(source, step)
    if kind >= DENSE:
        return _dense(source, step)
    block = source.integer(0, OFFSET // STRIDE) if source.integer(0, 1) else source.integer(0, 2**31)
    spare = source.integer(0, 1)
    segments: list[Segment] = []
    start = 0
    while not segments or (len(segments) < SEGMENTS and source.integer(0, 1)):
        start += source.integer(0, GAP) * step
        page = source.integer(1, PAGE // step)
        stride = source.integer(page, max(page, min(STRIDE, OFFSET // max(block, 1)) // step))
        segments.append(Segment(start - block * stride * step, block + spare + 1, page * step, stride * step))
        start += page * step
    runs = (Run(block, block, source.repeat(1, REPEATS)),)
    return parts.assemble(source, segments, [Call("zero", Ids(runs))])


def trace(case: Case, unit: int) -> list[int]:
    """The choices that make :func:`build` draw this case.

    Raises:
        Untraceable: if it never would.
    """
    to = Trace()
    step = parts.trace_granule(to, case, unit)
    if len(case.calls) != 1 or not case.calls[0].ids:
        raise Untraceable("not one call of at least one id")
    if vast.is_vast(case):
        to.integer(BIASED, VAST, VAST)
        return vast.trace(to, case, step)
    if len(case.calls[0].ids.runs) != 1:
        raise Untraceable("not one run of ids")
    (run,) = case.calls[0].ids.runs
    if run.first != run.last or _is_dense(case):
        to.integer(BIASED, VAST, DENSE)
        _trace_dense(to, case, run, step)
        return parts.trace_rest(to, case)
    to.integer(BIASED, VAST, BIASED)
    near = run.first <= OFFSET // STRIDE
    to.integer(0, 1, 1 if near else 0)
    block = to.integer(0, OFFSET // STRIDE if near else 2**31, run.first)
    spare = to.integer(0, 1, case.segments[0].blocks - block - 1)
    start = 0
    for index, found in enumerate(case.segments):
        if index:
            to.integer(0, 1, 1)
        if found.blocks != block + spare + 1 or found.times > 1:
            raise Untraceable("segments of different lengths")
        start += to.integer(0, GAP, (found.base + block * found.stride - start) // step) * step
        page = to.integer(1, PAGE // step, found.page // step)
        widest = max(page, min(STRIDE, OFFSET // max(block, 1)) // step)
        to.integer(page, widest, found.stride // step)
        start += found.page
    if len(case.segments) < SEGMENTS:
        to.integer(0, 1, 0)
    elif len(case.segments) > SEGMENTS:
        raise Untraceable(f"{len(case.segments)} segments; this profile draws at most {SEGMENTS}")
    to.repeat(1, REPEATS, run.times)
    return parts.trace_rest(to, case)


def _dense(source: Source, step: int) -> Case:
    count = source.repeat(1, DENSE_BLOCKS)
    first = source.integer(0, DENSE_BLOCKS - count)
    last = first + count - 1
    run = Run(last, first) if source.integer(0, 1) else Run(first, last)
    stride = source.integer(1, DENSE_STRIDE // step)
    page = source.integer(1, stride)
    segment = Segment(0, last + 1 + source.integer(0, 1), page * step, stride * step)
    return parts.assemble(source, [segment], [Call("zero", Ids((run,)))])


def _is_dense(case: Case) -> bool:
    (segment, *others) = case.segments
    return not others and segment.base == 0 and segment.stride <= DENSE_STRIDE and segment.blocks > 1


def _trace_dense(to: Trace, case: Case, run: Run, step: int) -> None:
    if len(case.segments) > 1 or case.segments[0].base or case.segments[0].times > 1 or run.times > 1:
        raise Untraceable("many distinct ids, but not one segment at the arena's start")
    (found,) = case.segments
    count = to.repeat(1, DENSE_BLOCKS, len(run))
    to.integer(0, DENSE_BLOCKS - count, min(run.first, run.last))
    to.integer(0, 1, 1 if run.first > run.last else 0)
    stride = to.integer(1, DENSE_STRIDE // step, found.stride // step)
    to.integer(1, stride, found.page // step)
    to.integer(0, 1, found.blocks - max(run.first, run.last) - 1)
