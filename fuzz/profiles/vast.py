"""Caches of more than four gigabytes in one piece, a kind of profile far.

They are cleared up to thousands of distinct blocks at a time, near their start as well as gigabytes
behind it. One segment in four has few pages of up to half a gigabyte instead of many narrow ones. An engine with
virtual memory runs them; others have the biased bases of :mod:`far`.
"""

from __future__ import annotations

from fuzz.case import Call, Case, Segment
from fuzz.ids import Ids, Run
from fuzz.profiles import parts
from fuzz.source import Source, Trace, Untraceable

LEAST = 2**32
"""A segment's last block lies at least so many bytes behind its first: past 2^31 elements or not, by stride."""

SEGMENTS = 6
PAGE = 2**14
STRIDE = 2**16
SPARE = 2**20
WIDEST = 2**29
WIDE_SPARE = 1
RUNS = 4
RUN = 2**11
BEHIND, INSIDE = 0, 1
NARROW, WIDE = 0, 3


def build(source: Source, step: int) -> Case:
    """Draw a case of one call whose sizes are multiples of ``step`` bytes."""
    segments = [_segment(source, step, 0)]
    while len(segments) < SEGMENTS and source.integer(0, 1):
        first = segments[0]
        if source.integer(BEHIND, INSIDE) == INSIDE:
            base = source.integer(0, first.stride // step) * step
        else:
            base = segments[-1].base + segments[-1].length
        segments.append(_segment(source, step, base))
    blocks = min(segment.blocks for segment in segments)
    runs = [_run(source, blocks, far=True)]
    while len(runs) < RUNS and source.integer(0, 1):
        runs.append(_run(source, blocks, far=False))
    return parts.assemble(source, segments, [Call("zero", Ids(tuple(runs)))])


def trace(to: Trace, case: Case, step: int) -> list[int]:
    """The choices that make :func:`build` draw this case.

    Raises:
        Untraceable: if it never would.
    """
    for index, segment in enumerate(case.segments):
        if index:
            to.integer(0, 1, 1)
        _trace_base(to, case.segments[:index], segment.base, step)
        _trace_shape(to, segment, step)
    if len(case.segments) < SEGMENTS:
        to.integer(0, 1, 0)
    runs = case.calls[0].ids.runs
    if len(case.segments) > SEGMENTS or len(runs) > RUNS or any(s.times > 1 for s in case.segments):
        raise Untraceable("more segments or runs of ids than this kind draws")
    for index, run in enumerate(runs):
        if index:
            to.integer(0, 1, 1)
        _trace_run(to, case.blocks, run, far=not index)
    if len(runs) < RUNS:
        to.integer(0, 1, 0)
    return parts.trace_rest(to, case)


def is_vast(case: Case) -> bool:
    """Whether every segment is as long as those of this kind."""
    return all(s.base >= 0 and s.blocks >= _fewest(s.stride) and s.stride <= _widest_stride(s) for s in case.segments)


def _fewest(stride: int) -> int:
    return LEAST // stride + 1


def _widest_stride(segment: Segment) -> int:
    return segment.page + STRIDE if segment.page >= PAGE else STRIDE


def _segment(source: Source, step: int, base: int) -> Segment:
    if source.integer(NARROW, WIDE) == WIDE:
        page = source.integer(PAGE // step, WIDEST // step)
        stride = source.integer(page, page + STRIDE // step) * step
        spare = source.integer(0, WIDE_SPARE)
    else:
        page = source.integer(1, PAGE // step)
        stride = source.integer(page, STRIDE // step) * step
        spare = source.integer(0, SPARE)
    return Segment(base, _fewest(stride) + spare, page * step, stride)


def _trace_shape(to: Trace, found: Segment, step: int) -> None:
    page, stride, spare = found.page // step, found.stride // step, found.blocks - _fewest(found.stride)
    if found.page > PAGE or found.stride > STRIDE:
        to.integer(NARROW, WIDE, WIDE)
        to.integer(PAGE // step, WIDEST // step, page)
        to.integer(page, page + STRIDE // step, stride)
        to.integer(0, WIDE_SPARE, spare)
    else:
        to.integer(NARROW, WIDE, NARROW)
        to.integer(1, PAGE // step, page)
        to.integer(page, STRIDE // step, stride)
        to.integer(0, SPARE, spare)


def _trace_base(to: Trace, before: tuple[Segment, ...], base: int, step: int) -> None:
    if not before:
        to.integer(0, 0, base)
    elif base == before[-1].base + before[-1].length:
        to.integer(BEHIND, INSIDE, BEHIND)
    else:
        to.integer(BEHIND, INSIDE, INSIDE)
        to.integer(0, before[0].stride // step, base // step)


def _run(source: Source, blocks: int, *, far: bool) -> Run:
    """Blocks in a row; ``far`` counts them from the last block, which small numbers then lie close to."""
    count = source.repeat(1, min(RUN, blocks))
    place = source.integer(0, blocks - count)
    first = blocks - count - place if far else place
    return Run(first, first + count - 1)


def _trace_run(to: Trace, blocks: int, run: Run, *, far: bool) -> None:
    if run.first > run.last or run.times > 1:
        raise Untraceable(f"ids {run} do not ascend")
    count = to.repeat(1, min(RUN, blocks), len(run))
    to.integer(0, blocks - count, blocks - count - run.first if far else run.first)
