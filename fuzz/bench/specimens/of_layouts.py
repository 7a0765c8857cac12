"""Faults of planners, on a layout of caches."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np

from fuzz.bench.specimens.specimen import Predicate, Specimen, asks, target
from fuzz.case import Call, Case
from fuzz.ids import Ids
from fuzz.layers import ITEM, Layer, Place, Pool
from fuzz.layout import effects_of, lead, total
from fuzz.profiles.parts import guarded


class Row(NamedTuple):
    """Pages of a layer: block ``i`` has ``[start + i*stride, +page)`` of the image; ``step`` is a kernel block's."""

    start: int
    stride: int
    page: int
    step: int


def rows_of(place: Place) -> list[Row]:
    """What a right planner makes of a layer: the stretches without a gap, for each kernel block of a block."""
    dims = [
        (size, stride)
        for dim, (size, stride) in enumerate(zip(place.shape, place.strides, strict=True))
        if dim != place.block_dim and size > 1
    ]
    page, outer = ITEM[place.layer.dtype], []
    for size, stride in sorted(dims, key=lambda dim: dim[1]):
        if stride <= page:
            page += (size - 1) * stride
        else:
            outer.append([index * stride for index in range(size)])
    step, ratio = place.strides[place.block_dim], place.layer.ratio
    starts = [place.offset + sum(far) for far in product(*outer)]
    return [Row(start + kernel * step, step * ratio, page, step) for start in starts for kernel in range(ratio)]


def _wrong(rows: Callable[[Case], list[Row]]) -> Predicate:
    """Whether clearing these rows leaves a byte that must be cleared, or clears one that must stay."""

    def wrong(case: Case) -> bool:
        size, ahead = total(case), lead(case)
        for call in case.calls:
            ids = call.ids.distinct()
            if not len(ids):
                continue
            must, may, cleared = (np.zeros(size, bool) for _ in range(3))
            effects = effects_of(case, ids)
            for marked, intervals in ((must, effects.must), (may, effects.may)):
                for start, stop in intervals:
                    marked[start:stop] = True
            for row, block in product(rows(case), ids.tolist()):
                start = ahead + row.start + block * row.stride
                if start + row.page > size:
                    return True
                cleared[start : start + row.page] = True
            if (must & ~cleared).any() or (cleared & ~must & ~may).any():
                return True
        return False

    return wrong


def _cleared(case: Case) -> list[Place]:
    return [place for place in case.placed.places if place.layer.cleared]


def _of_specs(*specs: str) -> Callable[[Case], list[Row]]:
    return lambda case: [row for place in _cleared(case) if place.layer.spec in specs for row in rows_of(place)]


def _page_is_stride(case: Case) -> list[Row]:
    return [row._replace(page=row.stride) for place in _cleared(case) for row in rows_of(place)]


def _kernel_block_is_block(case: Case) -> list[Row]:
    lone = [place._replace(layer=_lone(place.layer)) for place in _cleared(case)]
    return [row for place in lone for row in rows_of(place)]


def _lone(layer: Layer) -> Layer:
    return Layer(**{name: getattr(layer, name) for name in layer.__struct_fields__} | {"ratio": 1})


def _first_wins(case: Case) -> list[Row]:
    """Layers by group, groups in order of their first layer; a start that is known is passed over."""
    found: dict[int, Row] = {}
    groups: dict[tuple[object, ...], list[Place]] = {}
    for place in case.placed.places:
        one = place.layer
        key = (one.spec, one.dtype, one.heads, one.tokens, one.content, one.ratio, place.block_dim)
        groups.setdefault(key, []).append(place)
    for place in (place for group in groups.values() for place in group if place.layer.cleared):
        new = {row.start: row for row in rows_of(place) if row.start not in found}
        found |= new
    return list(found.values())


def _case(*layers: Layer, order: str = "LBHNC") -> Case:
    calls = (Call("zero", Ids.parse("0")),)
    pools = (Pool(order),)  # type: ignore[arg-type]
    return guarded(Case(schema=1, domain="contract", guard=0, layers=layers, pools=pools, num_blocks=1, calls=calls))


def _specimen(
    name: str, row: int, ref: str, what: str, function: str, buckets: tuple[str, ...], reached: Predicate,
    rows: Callable[[Case], list[Row]], smallest: Case,
) -> Specimen:  # fmt: skip
    return Specimen(
        name, (row,), ref, what, target("planning", function), buckets, reached, _wrong(rows), smallest,
        ("layout",), "layout", right="KVBlockZeroer",
    )  # fmt: skip


def _has(*specs: str) -> Predicate:
    return lambda case: asks(case) and any(place.layer.spec in specs for place in _cleared(case))


def _overlaid(case: Case) -> bool:
    return asks(case) and any(layer.overlay for layer in case.layers)


NARROW = Layer(0, "full", "float32", 1, 1, 1)
WIDE = Layer(0, "full", "float32", 1, 2, 1, overlay=True)

SPECIMENS = (
    _specimen(
        "exact-type", 3, "vllm#37530, #43961", "a subtype of full attention is missed by a comparison of types",
        "exact_type", ("stale:whole page", "skipped:none"), _has("mla", "sliding", "chunked"), _of_specs("full"),
        _case(NARROW, Layer(0, "mla", "float32", 1, 1, 1)),
    ),
    _specimen(
        "full-attention-only", 30, "vllm#51749", "pages of sliding windows are not cleared",
        "full_attention_only", ("stale:whole page", "skipped:none"), _has("sliding", "chunked"),
        _of_specs("full", "mla"), _case(NARROW, Layer(0, "sliding", "float32", 1, 1, 1)),
    ),
    _specimen(
        "block-stride-for-page", 11, "vllm#43990, a comment", "the head of the next block is wiped, in packed layouts",
        "block_stride_for_page", ("clobbered:guard", "clobbered:other block", "clobbered:padding"), asks,
        _page_is_stride, _case(NARROW, NARROW, order="BLHNC"),
    ),
    _specimen(
        "one-kernel-block", 16, "kvcached#330", "the ratio of kernel blocks to blocks is taken to be 1",
        "one_kernel_block", ("stale:tail", "stale:whole page", "clobbered:other block"),
        lambda case: asks(case) and any(place.layer.ratio > 1 for place in _cleared(case)),
        _kernel_block_is_block, _case(Layer(0, "full", "float32", 1, 1, 1, 2)),
    ),
    _specimen(
        "first-at-an-address", 33, "overlay rule, before vllm#51718", "of two pages at one address the first counts",
        "first_at_an_address", ("stale:tail", "stale:whole page"), _overlaid, _first_wins, _case(NARROW, WIDE),
    ),
)  # fmt: skip
