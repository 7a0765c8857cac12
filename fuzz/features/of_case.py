"""The features of a case: which classes of geometry and behaviour it falls into.

They say what a case looks like from outside, and which grids it led to; they say nothing about which
lines of a kernel ran. Two cases with the same features may well behave differently.

A feature is a name and a value, and all values of a name are of one type, so that features can be sorted.
Features of segments are a set over the case: which of them belong to the same segment is not kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import Protocol

from fuzz.case import Call, Case, Segment
from fuzz.features.patterns import of_ids
from fuzz.features.sizes import Feature, against_edges, against_product, of_base, of_shape


class Launched(Protocol):
    """What is looked at of a recorded launch."""

    grid: tuple[int, ...]
    compile_key: str | None


def features(case: Case, launches: Sequence[Launched] = ()) -> frozenset[Feature]:
    """All features of a case, and of the launches that were recorded when it ran.

    Without launches what depends on a kernel is missing: grids and compile keys.
    """
    found: set[Feature] = {
        ("domain", case.domain),
        ("calls", len(case.calls)),
        ("blocks", case.blocks.bit_length()),
        ("blocks told", int(case.blocks_known)),
        ("warm", int(not case.cold)),
        ("cache", "layers" if case.layers else "sequence" if case.sequence else "segments"),
    }
    for call in case.calls:
        found.update(_of_call(call, case.blocks))
    if case.layers:
        found.update(_of_layers(case))
    elif case.segments:
        found.update(_of_segments(case))
    for launch in launches:
        found.update(_of_launch(launch))
    for member in case.sequence:
        found |= features(member)
    return frozenset(found)


def in_words(found: Iterable[Feature]) -> str:
    """Features in one line, each name with its values."""
    values: dict[str, list[str]] = {}
    for name, value in sorted(found):
        values.setdefault(name, []).append(str(value))
    return ", ".join(f"{name}={'|'.join(of)}" for name, of in values.items())


def _of_segments(case: Case) -> Iterator[Feature]:
    high = max((max(first, last) for call in case.calls for first, last, _ in call.ids.runs), default=-1)
    count = 0
    for segment in case.segments:
        count += segment.times
        yield from of_shape(segment.page, segment.stride)
        yield from of_base(segment.base)
        if high >= 0:
            yield "offset", against_edges(high * segment.stride + segment.page)
    ids = max((len(call.ids) for call in case.calls), default=0)
    yield "segments", count.bit_length()
    yield "ids times segments", against_product(ids * count)
    yield "arena", against_edges(case.end)
    yield from _of_packing(case.segments)


def _of_packing(segments: Sequence[Segment]) -> Iterator[Feature]:
    """How neighbours by address lie to each other, and whether the table has them the other way round.

    The first blocks decide, and only neighbours are looked at: 64 segments would have 2,016 pairs.
    """
    if any(segment.times > 1 for segment in segments):
        yield "packing", "one base"
    if len(segments) > 1:
        order = sorted(range(len(segments)), key=lambda at: segments[at].base)
        for first, second in pairwise(order):
            words = _between(segments[first], segments[second])
            yield "packing", words if first < second else f"{words}, higher first"


def _between(low: Segment, high: Segment) -> str:
    gap = high.base - low.base
    if not gap:
        return "one base"
    if gap < low.page:
        return "overlapping"
    end = low.blocks * low.stride
    if gap < end:
        return "interleaved"
    return "touching" if gap == end else "apart"


def _of_call(call: Call, blocks: int) -> Iterator[Feature]:
    if call.raw is not None:
        yield from (("raw", type(value).__name__) for value in call.raw)
    else:
        yield from of_ids(call.ids, blocks)
    if call.overlaps:
        yield "flight", "graph" if call.graph else call.op
        yield "stream", call.stream


def _of_layers(case: Case) -> Iterator[Feature]:
    yield "pools", len(case.pools)
    yield "layers", len(case.layers).bit_length()
    for pool in case.pools:
        yield "order", pool.order
        yield "align", pool.align.bit_length()
    for place in case.placed.places:
        layer = place.layer
        yield "spec", layer.spec
        yield "dtype", layer.dtype
        yield "kind", layer.kind
        yield "ratio", layer.ratio
        yield from (("shared", words) for words in ("expanded", "overlay") if getattr(layer, words))
        yield from of_shape(layer.page, abs(place.strides[place.block_dim]))
        yield from of_base(place.offset)


def _of_launch(launch: Launched) -> Iterator[Feature]:
    for axis, size in zip("xyz", launch.grid, strict=False):
        yield f"grid {axis}", size.bit_length()
    yield "product", against_product(prod(launch.grid))
    if launch.compile_key is not None:
        yield "compile key", launch.compile_key
