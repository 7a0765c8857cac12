"""Small caches of every shape: the profile that is run most, a tenth of a megabyte a case.

Up to 64 segments of up to 64 blocks, five on average, pages of a few bytes to 8 KB, strides of up to four pages,
segments apart, interleaved or on one address, up to three calls on one zeroer.
"""

from __future__ import annotations

from fuzz.case import Case, Segment
from fuzz.profiles import parts
from fuzz.source import Source, Trace, Untraceable

SEGMENTS = 64
MORE_SEGMENTS = 4
BLOCKS = 64
SPARE = 2
PAGE = 8192
STRIDES = 4
GAP = 64
WIDE_GAP = 2**14
ALIKE, SAME_STRIDE, OWN, LAST = 0, 3, 4, 7
"""Of eight segments three repeat the one before, one keeps its stride, as layers in a slab do, four are their own."""

PACKED, PADDED, SHORT = 0, 3, 4
NEAR, INSIDE, ANYWHERE, WIDE = 0, 12, 14, 15
"""Of sixteen segments twelve follow the one before, two lie inside an earlier one, one lies anywhere
before the end, one far behind it."""


def build(source: Source, unit: int) -> Case:
    """Draw a case whose sizes are multiples of ``unit`` bytes."""
    step = parts.granule(source, unit)
    blocks = source.integer(1, BLOCKS - SPARE)
    segments = [_segment(source, step, blocks, [], 0)]
    end = _end(segments[0])
    while len(segments) < SEGMENTS and source.integer(0, MORE_SEGMENTS):
        segment = _segment(source, step, blocks, segments, end)
        segments.append(segment)
        end = max(end, _end(segment))
    blocks = min([segment.blocks for segment in segments])
    return parts.assemble(source, segments, parts.calls(source, blocks))


def trace(case: Case, unit: int) -> list[int]:
    """The choices that make :func:`build` draw this case.

    Raises:
        Untraceable: if it never would.
    """
    count = sum(segment.times for segment in case.segments)
    if count > SEGMENTS:
        raise Untraceable(f"{count} segments; this profile draws at most {SEGMENTS}")
    to = Trace()
    step = parts.trace_granule(to, case, unit)
    segments = [segment for segment in case.segments for _ in range(segment.times)]
    least = to.integer(1, BLOCKS - SPARE, min(case.blocks, BLOCKS - SPARE))
    for index, segment in enumerate(segments):
        if index:
            to.integer(0, MORE_SEGMENTS, 1)
        _trace_segment(to, step, least, segments[:index], segment)
    if len(segments) < SEGMENTS:
        to.integer(0, MORE_SEGMENTS, 0)
    parts.trace_calls(to, case.calls, case.blocks)
    return parts.trace_rest(to, case)


def _segment(source: Source, step: int, blocks: int, before: list[Segment], behind: int) -> Segment:
    how = source.integer(ALIKE, LAST) if before else OWN
    if how < SAME_STRIDE:
        shape = before[-1]
        own_blocks, page, stride = shape.blocks, shape.page // step, shape.stride // step
    else:
        own_blocks = blocks + source.integer(0, SPARE)
        stride = before[-1].stride // step if how == SAME_STRIDE else 0
        page = source.integer(1, min(PAGE // step, stride or PAGE))
        stride = stride or _stride(source, page, lone=own_blocks == 1)
    base = _place(source, step, before, behind) if before else source.integer(0, GAP) * step
    return Segment(base, own_blocks, page * step, stride * step)


def _trace_segment(to: Trace, step: int, blocks: int, before: list[Segment], found: Segment) -> None:
    shape = (found.blocks, found.page, found.stride)
    if before and shape == (before[-1].blocks, before[-1].page, before[-1].stride):
        to.integer(ALIKE, LAST, ALIKE)
    else:
        same = bool(before) and found.stride == before[-1].stride and found.page <= found.stride
        if before:
            to.integer(ALIKE, LAST, SAME_STRIDE if same else OWN)
        to.integer(0, SPARE, found.blocks - blocks)
        stride = found.stride // step
        page = to.integer(1, min(PAGE // step, stride if same else PAGE), found.page // step)
        if not same:
            _trace_stride(to, page, stride, lone=found.blocks == 1)
    if before:
        _trace_place(to, step, before, found.base)
    else:
        to.integer(0, GAP, found.base // step)


def _stride(source: Source, page: int, *, lone: bool) -> int:
    """A stride for a page; padding is drawn even if it is not used.

    So a packed page and a padded one take equally many choices, and a shrinker that counts choices
    first does not widen a page to be rid of its padding.
    """
    how = source.integer(PACKED, SHORT if lone and page > 1 else PADDED)
    if how == SHORT:
        return source.integer(1, page - 1)
    padding = source.integer(1, (STRIDES - 1) * page)
    return page + padding if how == PADDED else page


def _trace_stride(to: Trace, page: int, stride: int, *, lone: bool) -> None:
    how = PACKED if stride == page else PADDED if stride > page else SHORT
    to.integer(PACKED, SHORT if lone and page > 1 else PADDED, how)
    if how == SHORT:
        to.integer(1, page - 1, stride)
    else:
        to.integer(1, (STRIDES - 1) * page, 1 if how == PACKED else stride - page)


def _end(segment: Segment) -> int:
    return segment.base + segment.length


def _place(source: Source, step: int, before: list[Segment], behind: int) -> int:
    where = source.integer(NEAR, WIDE)
    if INSIDE <= where < ANYWHERE:
        host = before[source.integer(0, len(before) - 1)]
        return host.base + source.integer(0, host.stride // step) * step
    if where == ANYWHERE:
        return source.integer(0, behind // step) * step
    return behind + source.integer(0, WIDE_GAP if where == WIDE else GAP) * step


def _trace_place(to: Trace, step: int, before: list[Segment], base: int) -> None:
    behind = max(map(_end, before))
    gap = (base - behind) // step
    if 0 <= gap <= WIDE_GAP:
        to.integer(NEAR, WIDE, NEAR if gap <= GAP else WIDE)
        to.integer(0, GAP if gap <= GAP else WIDE_GAP, gap)
        return
    for index, host in enumerate(before):
        if host.base <= base <= host.base + host.stride:
            to.integer(NEAR, WIDE, INSIDE)
            to.integer(0, len(before) - 1, index)
            to.integer(0, host.stride // step, (base - host.base) // step)
            return
    to.integer(NEAR, WIDE, ANYWHERE)
    to.integer(0, behind // step, base // step)
