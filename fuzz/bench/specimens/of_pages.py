"""Faults of pages, strides, tails and constructors, on a segment table."""

from __future__ import annotations

import numpy as np

from fuzz.bench.specimens.models import CHUNK, ELEMENT, clears_wrongly, flat, refused, table_case, with_columns
from fuzz.bench.specimens.specimen import Specimen, always, asks, target
from fuzz.case import Call, Case, Segment
from fuzz.ids import Ids
from fuzz.rules import hostile_rule
from oracles import pages
from oracles.pages import Segments

GUARD = 256


def _stride_for_page(segments: Segments, call: Call) -> np.ndarray:
    return with_columns(segments, call, stride=segments.stride, page=segments.stride)


def _page_for_stride(segments: Segments, call: Call) -> np.ndarray:
    return with_columns(segments, call, stride=segments.page, page=segments.page)


def _whole_chunks(segments: Segments, call: Call) -> np.ndarray:
    """No element behind the last chunk; the chunk is the widest power of two that the widest page holds."""
    widest = int(segments.page.max()) // ELEMENT
    chunk = min(2 ** (widest.bit_length() - 1), CHUNK) * ELEMENT
    cut = with_columns(segments, call, stride=segments.stride, page=segments.page // chunk * chunk)
    return pages.merged(cut[cut[:, 0] < cut[:, 1]])


def _first_page_for_one_id(segments: Segments, call: Call) -> np.ndarray:
    page = np.full_like(segments.page, segments.page[0]) if len(call.ids) == 1 else segments.page
    return with_columns(segments, call, stride=segments.stride, page=page)


def _past_capacity(case: Case) -> bool:
    return case.domain == "hostile" and any(
        hostile_rule(case, call, ELEMENT) == "id-past-blocks" for call in case.calls
    )


PADDED = table_case(Segment(0, 1, 4, 8))

TOO_WIDE = (
    "clobbered:padding", "clobbered:guard", "clobbered:other segment", "stale:tail", "rejected:launch-x",
    "faulted:memory",
)  # fmt: skip

SPECIMENS = (
    Specimen(
        "page-read-off-stride", (9,), "vllm#50276", "a page is cleared as wide as its block stride, by the flat kernel",
        target("pages", "page_read_off_stride"), TOO_WIDE,
        asks,
        lambda case: clears_wrongly(case, _stride_for_page)
        or refused(case, lambda one, call: flat(one, call, "stride"), "h200"),
        PADDED,
    ),
    Specimen(
        "span-of-a-stride", (10,), "vllm#52709", "the last block's span ends behind the slab, by the masked kernel",
        target("pages", "span_of_a_stride"), ("clobbered:padding", "clobbered:guard", "clobbered:other segment"),
        asks, lambda case: clears_wrongly(case, _stride_for_page),
        table_case(Segment(0, 2, 4, 8), Segment(4, 2, 4, 8), ids="1"),
    ),
    Specimen(
        "steps-by-a-page", (12,), "1Cat-vllm#280", "blocks are taken to be one page apart where all layers lie between",
        target("pages", "steps_by_a_page"), ("clobbered:padding", "clobbered:other block", "clobbered:other segment"),
        asks, lambda case: clears_wrongly(case, _page_for_stride), table_case(Segment(0, 2, 4, 8), ids="1"),
    ),
    Specimen(
        "one-stride-for-all", (7,), "vllm#49696", "the constructor asserts that all block strides are equal",
        target("pages", "one_stride_for_all"), ("rejected:constructor",),
        always, lambda case: len({segment.stride for segment in case.segments}) > 1,
        table_case(Segment(0, 1, 4, 4), Segment(4, 1, 4, 8), ids=""),
    ),
    Specimen(
        "one-page-for-all", (8,), "vllm-ascend#16966", "the constructor asserts that all pages are equal",
        target("pages", "one_page_for_all"), ("rejected:constructor",),
        always, lambda case: len({segment.page for segment in case.segments}) > 1,
        table_case(Segment(0, 1, 4, 8), Segment(8, 1, 8, 8), ids=""),
    ),
    Specimen(
        "whole-chunks-only", (37,), "vllm#52058, chunk floor", "chunks are counted with floor, and there is no mask",
        target("pages", "whole_chunks_only"), ("stale:tail", "stale:whole page"),
        asks, lambda case: clears_wrongly(case, _whole_chunks), table_case(Segment(0, 1, 12, 12)),
    ),
    Specimen(
        "one-id-otherwise", (63,), "vllm#46345", "a second code path is wrong that no test ran",
        target("pages", "one_id_otherwise"), ("stale:tail", "stale:whole page", "clobbered:padding"),
        lambda case: any(len(call.ids) == 1 for call in case.calls),
        lambda case: clears_wrongly(case, _first_page_for_one_id),
        table_case(Segment(0, 1, 4, 4), Segment(4, 1, 8, 8)),
    ),
    Specimen(
        "no-capacity", (17,), "K3 disaggregation patch", "an id past the last block is written to",
        target("pages", "no_capacity"), ("accepted:id-past-blocks",),
        lambda case: any(call.ids for call in case.calls), _past_capacity,
        Case(schema=1, domain="hostile", guard=GUARD, segments=(Segment(0, 1, 4, 4),),
             calls=(Call("zero", Ids.parse("1")),)),
        profiles=("hostile",),
    ),
)  # fmt: skip
