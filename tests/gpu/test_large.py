"""Arenas of gigabytes on a GPU: judged where they lie, in the same words as on the simulator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

from fuzz import device_check
from fuzz.build import numbered
from fuzz.case import Call, Case, Segment
from fuzz.checking import Checker
from fuzz.device_check import TILE
from fuzz.engines.cuda import Cuda
from fuzz.ids import Ids
from fuzz.large_image import LargeImage
from fuzz.layout import total
from fuzz.profiles.parts import guarded
from fuzz.profiles.vast import is_vast
from kvzero import Limits
from kvzero.generations.masked_grid import launch, plan
from oracles.pages import Effects, Region

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")

SIZE = 2**33 + 10 * TILE + 8
"""Past 2^31 words, and the last tile is not full."""

STRIDE, PAGE = 40_960, 37_376
PLACES = [0, 3, 37_375, 37_376, TILE - 1, TILE, 2**31, 2**32 - 1, 2**32, 2**32 + 5, 2**33 - 1, 2**33, SIZE - 1]


@triton.jit
def narrow(addrs_ptr, strides_ptr, pages_ptr, ids_ptr, BLOCK_SIZE: tl.constexpr):
    """masked_grid with its offset cut to 32 bits, and never below zero, so that it stays inside the arena."""
    seg = tl.program_id(1)
    page = tl.load(pages_ptr + seg)
    first = tl.program_id(2) * BLOCK_SIZE
    block = tl.load(ids_ptr + tl.program_id(0)).to(tl.int32)
    stride = tl.load(strides_ptr + seg).to(tl.int32)
    start = tl.load(addrs_ptr + seg).to(tl.pointer_type(tl.int32))
    columns = first + tl.arange(0, BLOCK_SIZE)
    offset = (block * stride) & 0x7FFFFFFF
    tl.store(start + offset + columns, tl.zeros([BLOCK_SIZE], tl.int32), mask=columns < page)


def narrowed(table: Any, device: torch.device) -> Callable[[list[int]], None]:
    """A target whose offsets wrap past 2^31 elements."""
    meta = plan(table, device)
    assert meta is not None
    return lambda ids: launch(meta, torch.tensor(ids, device=device), kernel=narrow)


narrowed.limits = Limits()


@pytest.fixture(scope="module")
def laid() -> Iterator[torch.Tensor]:
    """Poisoned memory of 8 GB in which every page is cleared."""
    if Cuda(None).largest_arena < SIZE:
        pytest.skip(f"an arena of {SIZE} bytes takes half of the device's free memory")
    memory = torch.empty(-(-SIZE // TILE) * TILE, dtype=torch.uint8, device="cuda")
    device_check.lay(memory)
    pages = memory[: SIZE // STRIDE * STRIDE].view(-1, STRIDE)
    pages[:, :PAGE] = 0
    yield memory
    del pages, memory
    torch.cuda.empty_cache()


def _effects() -> Effects:
    starts = np.arange(SIZE // STRIDE, dtype=np.int64) * STRIDE
    must = np.stack([starts, starts + PAGE], axis=1)
    return Effects(must, np.zeros(len(must), np.int64), must)


def test_a_right_image_has_no_wrong_region(laid: torch.Tensor) -> None:
    """Two hundred thousand pages."""
    assert LargeImage(laid, SIZE).wrong(_effects()) == []


@pytest.mark.parametrize("at", PLACES)
def test_one_wrong_byte_is_found_anywhere(laid: torch.Tensor, at: int) -> None:
    """At the borders of tiles and pages, past 2^31 elements and past 2^32 bytes."""
    right = int(laid[at])
    laid[at] = right ^ 2
    block, within = divmod(at, STRIDE)
    kind = "wrong" if within < PAGE and block < SIZE // STRIDE else "clobbered"
    assert LargeImage(laid, SIZE).wrong(_effects()) == [Region(at, at + 1, kind)]
    laid[at] = right


def _case(ids: str) -> Case:
    segments = (Segment(0, 2**17, 37_376, 2**16),)
    calls = (Call("zero", Ids.parse(ids)),)
    return guarded(Case(schema=1, domain="contract", guard=0, segments=segments, calls=calls))


@pytest.fixture(scope="module")
def cuda() -> Iterator[Checker]:
    """A worker on the GPU with right targets and one whose offsets have 32 bits."""
    one = Checker(("masked_grid", "chunk_list", f"{__file__}:narrowed"), "cuda")
    yield one
    one.close()


def test_a_page_past_two_to_the_31_elements_is_left_stale(cuda: Checker) -> None:
    """The last block of 8 GB, whose offset wraps to a place at its start."""
    case = _case("131071")
    assert total(case) > 2**33 - 2**16
    assert cuda.attempt(case, "masked_grid").label() == "passed"
    assert cuda.attempt(_case("32768"), f"{__file__}:narrowed").label() == "passed"
    case = guarded(
        Case(
            schema=1,
            domain="contract",
            guard=0,
            segments=(Segment(0, 2**18, 37_376, 2**16),),
            calls=(Call("zero", Ids.parse("131073")),),
        )
    )
    verdict = cuda.attempt(case, f"{__file__}:narrowed")
    assert verdict.label() == "clobbered:other block"
    assert [(region.start, region.stop, region.kind) for region in verdict.regions] == [
        (2**16, 2**16 + 37_376, "clobbered"),
        (2**33 + 2**16, 2**33 + 2**16 + 37_376, "stale"),
    ]


def test_profile_far_is_proved(cuda: Checker) -> None:
    """Every cache of gigabytes that fits: ours passes each, and upstream's kernel all but the pages too wide for z."""
    cases = [case for case, _ in (numbered(3, index, ("far",)) for index in range(400)) if is_vast(case)]
    for target, gaps in (("chunk_list", set()), ("masked_grid", {"rejected:launch-z"})):
        labels = [cuda.attempt(case, target).label() for case in cases]
        assert set(labels) - {"passed", "unproved"} == gaps
        assert labels.count("passed") > len(labels) / 2
