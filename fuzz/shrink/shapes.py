"""Halving pages and strides together, before Hypothesis lowers them one by one.

A shrinker of single numbers would have to widen one to narrow the other, and on the interpreter each
run of a wide page costs a second.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from fuzz.case import Case, Segment
from fuzz.profiles.parts import GRANULES, guarded
from fuzz.profiles.small import STRIDES


def smaller_shapes(case: Case) -> Iterator[Case]:
    """The case with one segment's page and stride narrowed, its lowest targeted page kept in place."""
    step = next(size for size in GRANULES if not any(s.page % size or s.stride % size for s in case.segments))
    low = min((call.ids.low for call in case.calls if call.ids), default=0)
    for index, segment in enumerate(case.segments):
        for page, stride in dict.fromkeys(_narrower(segment, step)):
            moved = segment.base + low * (segment.stride - stride) if segment.base < 0 else segment.base
            narrow = replace(segment, base=moved, page=page, stride=stride)
            segments = (*case.segments[:index], narrow, *case.segments[index + 1 :])
            yield guarded(replace(case, segments=segments))


def _narrower(segment: Segment, step: int) -> Iterator[tuple[int, int]]:
    """Both at their least, both halved, the stride packed, the page narrowed in its stride.

    A stride stays within what the profiles draw, or Hypothesis could not take the case over.
    """
    page, stride = segment.page, segment.stride
    half = max(page // step // 2 * step, step)
    for narrow, near in (
        (step, step),
        (step, 2 * step),
        (half, max(stride // step // 2 * step, half)),
        (page, page),
        (step, stride),
        (half, stride),
    ):
        if narrow <= page and near <= stride and near <= STRIDES * narrow and (narrow, near) != (page, stride):
            yield narrow, near
