"""Faults of 32-bit offsets, each small in memory because bases are biased."""

from __future__ import annotations

import numpy as np

from fuzz.bench.specimens.models import ELEMENT, at_offsets, clears_wrongly, table_case, wrapped
from fuzz.bench.specimens.specimen import Specimen, asks, target
from fuzz.case import Call, Case, Segment
from oracles import pages
from oracles.pages import Segments


def _elements(ids: np.ndarray, stride: np.ndarray) -> np.ndarray:
    return wrapped(wrapped(ids) * wrapped(stride // ELEMENT)) * ELEMENT


def _bytes(ids: np.ndarray, stride: np.ndarray) -> np.ndarray:
    return wrapped(ids * stride)


def _unsigned(ids: np.ndarray, stride: np.ndarray) -> np.ndarray:
    found: np.ndarray = ids * stride % 2**32
    return found


def _sums(segments: Segments, call: Call) -> np.ndarray:
    """Each page in two pieces: its elements before the next multiple of 2^31 past 2^31, and those from there on."""
    half, turn = 2**31 * ELEMENT, 2**32 * ELEMENT
    offset = call.ids.distinct()[:, None] * segments.stride
    first = (offset + half) % turn - half
    ahead = np.minimum(segments.page, half - first)
    near = np.stack([first, first + ahead], axis=-1)
    far = np.stack([np.full_like(first, -half), -half + segments.page - ahead], axis=-1)
    pairs = (np.stack([near, far]) + segments.base[:, None]).reshape(-1, 2)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    return pages.merged(pairs[np.argsort(pairs[:, 0], kind="stable")])


def _far(block: int, stride: int) -> Case:
    return table_case(Segment(-block * stride, block + 1, ELEMENT, stride), ids=str(block))


ASTRAY = ("faulted:memory", "clobbered:padding", "clobbered:other block", "clobbered:other segment", "stale:whole page")

SPECIMENS = (
    Specimen(
        "product-of-elements", (42,), "vllm#47671", "block times stride in 32 bits, counted in elements",
        target("widths", "product_of_elements"), ("faulted:memory",),
        asks, lambda case: clears_wrongly(case, at_offsets(_elements)), _far(1, 2**33),
    ),
    Specimen(
        "sum-of-elements", (43,), "vllm#46222", "block times stride plus column in 32 bits, counted in elements",
        target("widths", "sum_of_elements"), ("faulted:memory",),
        asks, lambda case: clears_wrongly(case, _sums), _far(1, 2**33),
    ),
    Specimen(
        "product-of-bytes", (44, 45), "syv-ai#86, tokenspeed#501", "block times stride in 32 bits, counted in bytes",
        target("widths", "product_of_bytes"), ASTRAY,
        asks, lambda case: clears_wrongly(case, at_offsets(_bytes)), _far(1, 2**31),
    ),
    Specimen(
        "unsigned-bytes", (46,), "aiter#4474, fla#1080, triton#5022", "a byte offset of 32 bits without a sign",
        target("widths", "unsigned_bytes"), ASTRAY,
        asks, lambda case: clears_wrongly(case, at_offsets(_unsigned)), _far(1, 2**32),
    ),
)  # fmt: skip
