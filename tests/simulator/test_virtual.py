"""Caches of many gigabytes, without their memory: stores are kept and compared exactly."""

from __future__ import annotations

import resource
from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.language as tl

from fuzz.arena import arena_of
from fuzz.build import build
from fuzz.case import WHOLE, Call, Case, Segment
from fuzz.engines.simulator.engine import Simulator
from fuzz.ids import Ids
from fuzz.loading import load
from fuzz.profiles.vast import is_vast
from fuzz.run import run_case
from fuzz.source import Recorder
from fuzz.target import Target
from kvzero import Limits
from kvzero.generations.masked_grid import launch, plan

GIB = 2**30


@triton.jit
def narrow(addrs_ptr, strides_ptr, pages_ptr, ids_ptr, BLOCK_SIZE: tl.constexpr):
    """masked_grid with its offset cut to 32 bits."""
    seg = tl.program_id(1)
    page = tl.load(pages_ptr + seg)
    first = tl.program_id(2) * BLOCK_SIZE
    block = tl.load(ids_ptr + tl.program_id(0)).to(tl.int32)
    stride = tl.load(strides_ptr + seg).to(tl.int32)
    start = tl.load(addrs_ptr + seg).to(tl.pointer_type(tl.int32))
    columns = first + tl.arange(0, BLOCK_SIZE)
    tl.store(start + block * stride + columns, tl.zeros([BLOCK_SIZE], tl.int32), mask=columns < page)


def _narrow(table: Any, device: torch.device) -> Callable[[list[int]], None]:
    meta = plan(table, device)
    assert meta is not None
    return lambda ids: launch(meta, torch.tensor(ids), kernel=narrow)


def _case(ids: str) -> Case:
    segments = (Segment(0, 40_000, 37_376, 65_536), Segment(40_000, 40_000, 1168, 65_536))
    return Case(schema=1, domain="contract", guard=65_536, segments=segments, calls=(Call("zero", Ids.parse(ids)),))


def _verdict(target: Target, case: Case) -> str:
    engine = Simulator("h200")
    assert case.end > WHOLE
    verdict = run_case(case, target, engine, arena_of(engine), patience=60.0, on_launch=lambda seconds: None)
    return verdict.label()


def test_a_layout_of_gigabytes_passes() -> None:
    """2.6 GB of it, tens of thousands of distinct blocks, in a fraction of that memory."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert _verdict(load("masked_grid"), _case("0-39998")) == "passed"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < GIB // 2**10


def test_an_old_generation_shows_its_fault() -> None:
    """A page read off the block stride clears the padding, gigabytes of it."""
    assert _verdict(load("page_table"), _case("5,39998")) == "clobbered:padding"


def test_an_offset_of_32_bits_is_found() -> None:
    """Past 2^31 elements it wraps, and the store lands outside."""
    wrapping = Case(
        schema=1, domain="contract", guard=65_536, segments=(Segment(0, 20_000, 1168, 2**19),),
        calls=(Call("zero", Ids.parse("19999")),),
    )  # fmt: skip
    assert _verdict(Target("narrow", _narrow, Limits(), virtual=True), wrapping) == "faulted:memory"


def test_profile_far_draws_such_caches() -> None:
    """A right kernel passes each; today's cannot launch all pages, and offsets of 32 bits miss blocks past 2^31."""
    drawn = [case for case in (build(Recorder(seed), "far") for seed in range(200)) if is_vast(case)]
    assert {_verdict(load("chunk_list"), case) for case in drawn} == {"passed"}
    for case in drawn:
        chunks = -(-max(segment.page for segment in case.segments) // 4096)
        assert _verdict(load("masked_grid"), case) == ("passed" if chunks < 2**16 else "rejected:launch-z")
    wrapping = [case for case in drawn if any(case.calls[0].ids.high * s.stride >= 2**33 for s in case.segments)]
    found = {_verdict(Target("narrow", _narrow, Limits(), virtual=True), case) for case in wrapping}
    assert "faulted:memory" in found
    assert not {"passed", "unproved"} & found


def test_a_target_that_may_touch_memory_itself_is_not_given_any() -> None:
    """index_fill writes through torch: its case is unproved."""
    assert _verdict(load("index_fill"), _case("39998")) == "unproved"


def test_there_are_not_addresses_for_everything() -> None:
    """A cache of 32 TB is unproved, not a fault of anybody."""
    segments = (Segment(0, 3, 4096, 2**44),)
    case = Case(schema=1, domain="contract", guard=65_536, segments=segments, calls=(Call("zero", Ids.parse("2")),))
    assert _verdict(load("masked_grid"), case) == "unproved"
