"""Caches of more than four gigabytes in one piece, a kind of profile far.

They are cleared up to thousands of distinct blocks at a time, near their start as well as gigabytes
behind it. An engine with virtual memory runs them; others have the biased bases of :mod:`far`.
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
RUNS = 4
RUN = 2**11
BEHIND, INSIDE = 0, 1


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
        page = to.integer(1, PAGE // step, segment.page // step)
        to.integer(page, STRIDE // step, segment.stride // step)
        to.integer(0, SPARE, segment.blocks - _fewest(segment.stride))
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
    return all(s.base >= 0 and s.blocks >= _fewest(s.stride) and s.stride <= STRIDE for s in case.segments)


def _fewest(stride: int) -> int:
    return LEAST // stride + 1


def _segment(source: Source, step: int, base: int) -> Segment:
    page = source.integer(1, PAGE // step)
    stride = source.integer(page, STRIDE // step) * step
    return Segment(base, _fewest(stride) + source.integer(0, SPARE), page * step, stride)


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
    count = source.repeat(1, RUN)
    place = source.integer(0, blocks - count)
    first = blocks - count - place if far else place
    return Run(first, first + count - 1)


def _trace_run(to: Trace, blocks: int, run: Run, *, far: bool) -> None:
    if run.first > run.last or run.times > 1:
        raise Untraceable(f"ids {run} do not ascend")
    count = to.repeat(1, RUN, len(run))
    to.integer(0, blocks - count, blocks - count - run.first if far else run.first)
