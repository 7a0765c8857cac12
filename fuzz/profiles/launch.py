"""Huge launches in kilobytes: equal segments and equal ids, hundreds of thousands of them.

Only counts matter to a launch, so one address may stand for many segments and one id for many.
"""

from __future__ import annotations

from fuzz.case import Call, Case, Segment
from fuzz.ids import Ids, Run
from fuzz.profiles import parts
from fuzz.source import Source, Trace, Untraceable

KINDS = 3
"""Different segments; each may stand in the table many times."""

TIMES = 2**17
FEW_TIMES = 2**5
"""Every other case has so few of each that it can be run anywhere: its grid is legal, and a segment or
an id that is left out shows."""

PAGE = 2**19 - 4
"""Widest page in bytes, one element below a power of two: a boundary, like those that sources lean to."""

BLOCKS = 4
PADDING = 16


def build(source: Source, unit: int) -> Case:
    """Draw a case of one call whose sizes are multiples of ``unit`` bytes."""
    step = parts.granule(source, max(unit, 4))
    most = TIMES if source.integer(0, 1) else FEW_TIMES
    blocks = source.integer(1, BLOCKS)
    segments: list[Segment] = []
    while not segments or (len(segments) < KINDS and source.integer(0, 1)):
        page = source.integer(1, PAGE // step) * step
        stride = page + source.integer(0, PADDING) * step
        times = source.repeat(1, most)
        base = 0 if not segments else _behind(segments)
        segments.append(Segment(base, blocks, page, stride, times))
    runs = [Run(block, block, source.repeat(1, most)) for block in _blocks(source, blocks)]
    return parts.assemble(source, segments, [Call("zero", Ids(tuple(runs)))])


def trace(case: Case, unit: int) -> list[int]:
    """The choices that make :func:`build` draw this case.

    Raises:
        Untraceable: if it never would.
    """
    to = Trace()
    step = parts.trace_granule(to, case, max(unit, 4))
    counts = [segment.times for segment in case.segments] + [run.times for c in case.calls for run in c.ids.runs]
    few = max(counts, default=0) <= FEW_TIMES
    most = FEW_TIMES if few else TIMES
    to.integer(0, 1, 0 if few else 1)
    blocks = to.integer(1, BLOCKS, case.blocks)
    for index, found in enumerate(case.segments):
        if index:
            to.integer(0, 1, 1)
        if found.base != (_behind(case.segments[:index]) if index else 0) or found.blocks != blocks:
            raise Untraceable("segments neither equally long nor one behind the other")
        page = to.integer(1, PAGE // step, found.page // step)
        to.integer(0, PADDING, found.stride // step - page)
        to.repeat(1, most, found.times)
    if len(case.segments) < KINDS:
        to.integer(0, 1, 0)
    _trace_runs(to, case, blocks, most)
    return parts.trace_rest(to, case)


def _blocks(source: Source, blocks: int) -> list[int]:
    drawn = [source.integer(0, blocks - 1)]
    while len(drawn) < BLOCKS and source.integer(0, 1):
        drawn.append(source.integer(0, blocks - 1))
    return drawn


def _trace_runs(to: Trace, case: Case, blocks: int, most: int) -> None:
    runs = case.calls[0].ids.runs if len(case.calls) == 1 else ()
    if not 1 <= len(runs) <= BLOCKS or len(case.segments) > KINDS:
        raise Untraceable("not one call of a few repeated ids")
    for index, run in enumerate(runs):
        if run.first != run.last:
            raise Untraceable(f"ids {run} is a range")
        if index:
            to.integer(0, 1, 1)
        to.integer(0, blocks - 1, run.first)
    if len(runs) < BLOCKS:
        to.integer(0, 1, 0)
    for run in runs:
        to.repeat(1, most, run.times)


def _behind(before: list[Segment] | tuple[Segment, ...]) -> int:
    last = before[-1]
    return last.base + last.blocks * last.stride
