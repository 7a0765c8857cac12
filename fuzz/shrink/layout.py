"""Moving segments together: the gaps closed that deleted ones leave, or all of them side by side."""

from __future__ import annotations

from msgspec.structs import replace

from fuzz.case import Case, Segment, held_end
from fuzz.profiles.parts import guarded


def closed(case: Case) -> Case:
    """The case with its storages side by side from offset 0 on; within a storage nothing moves."""
    ids = [call.ids for call in case.calls if call.ids]
    low = min((one.low for one in ids), default=0)
    high = max((one.high for one in ids), default=0)
    extents = {segment: _extent(segment, max(low, 0), high) for segment in case.segments}
    shift: dict[Segment, int] = {}
    reach = None
    free = 0
    offset = 0
    for segment in sorted(extents, key=lambda one: extents[one]):
        start, stop = extents[segment]
        if reach is None or start >= reach:
            offset = free - start
            reach = stop
        reach = max(reach, stop)
        free = reach + offset
        shift[segment] = offset
    moved = tuple(replace(s, base=s.base + shift[s]) for s in case.segments)
    return guarded(replace(case, segments=moved))


def stacked(case: Case) -> Case:
    """The case with all segments side by side from offset 0 on, the shortest first."""
    segments = []
    free = 0
    for s in sorted(case.segments, key=lambda segment: segment.length):
        segments.append(replace(s, base=free))
        free += s.length
    return guarded(replace(case, segments=tuple(segments)))


def _extent(segment: Segment, low: int, high: int) -> tuple[int, int]:
    """The bytes of the arena that a segment takes up."""
    end = held_end(segment, high)
    return (segment.base if segment.base >= 0 else segment.base + low * segment.stride, end)
