"""Warm-ups on a GPU: what they compile is all that calls launch; skipped with the reason where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from fuzz.build import numbered
from fuzz.built_in import GENERATIONS
from fuzz.checking import Checker
from kvzero import SegmentTable
from kvzero.generations import BY_NAME
from kvzero.zeroer import KVBlockZeroer
from tests import warmups
from tests.conftest import ROOT

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")

COUNTS = (1, 2, 3, 15, 16, 17, 32, 4096, 65536)
PAGE = 4096
BLOCKS = 8
DRAWN = 200
FILE = ROOT / "tests" / "warmups.py"


def _compiled(kernel: Any) -> set[str]:
    """Keys of a kernel's variants in this process; Triton's own, and read nowhere else."""
    return set(kernel.device_caches[torch.cuda.current_device()][0])


def _cache(segments: int) -> tuple[torch.Tensor, SegmentTable]:
    """A cache of nothing but 0xA5, and its table."""
    cache = torch.full((segments * BLOCKS * PAGE,), 0xA5, dtype=torch.uint8, device="cuda")
    base = cache.data_ptr() + np.arange(segments, dtype=np.int64) * BLOCKS * PAGE
    page = np.full(segments, PAGE, np.int64)
    return cache, SegmentTable(base, page, page, BLOCKS)


@pytest.mark.parametrize("segments", [1, 2, 3])
@pytest.mark.parametrize("name", BY_NAME)
def test_no_call_adds_a_variant(name: str, segments: int) -> None:
    """For any number of ids, on another stream too; and the warm-up itself leaves every byte alone."""
    cache, table = _cache(segments)
    zeroer = KVBlockZeroer.of(table, "cuda", kernel=name)
    zeroer.warmup(BLOCKS)
    torch.cuda.synchronize()
    assert bool((cache == 0xA5).all())
    warm = _compiled(BY_NAME[name].kernel)
    assert warm
    for count in COUNTS:
        if name == "ids_on_z" and count > 65_535:
            continue
        zeroer.zero_block_ids([1] * count)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        zeroer.zero_block_ids([0, 7])
    torch.cuda.synchronize()
    assert _compiled(BY_NAME[name].kernel) == warm
    expected = torch.full_like(cache, 0xA5).view(segments, BLOCKS, PAGE)
    expected[:, [0, 1, 7]] = 0
    assert torch.equal(cache, expected.view(-1))


def test_warmup_of_no_blocks_compiles_nothing() -> None:
    """Not a variant, not a byte."""
    cache, table = _cache(1)
    before = _compiled(BY_NAME["masked_grid"].kernel)
    KVBlockZeroer.of(table, "cuda", kernel="masked_grid").warmup(0)
    assert _compiled(BY_NAME["masked_grid"].kernel) == before
    assert bool((cache == 0xA5).all())


@pytest.fixture(scope="module")
def cuda() -> Iterator[Checker]:
    """A worker on the GPU with every generation and every planted warm-up."""
    names = (*warmups.BUCKETS, *warmups.RIGHT, "astray")
    one = Checker((*GENERATIONS, *(f"{FILE}:{name}" for name in names)), "cuda")
    yield one
    one.close()


def _labels(cuda: Checker, target: str) -> Iterator[str]:
    """Verdicts of drawn cases, all of them with a warm-up."""
    for index in range(DRAWN):
        yield cuda.attempt(replace(numbered(5, index, ("small",))[0], cold=False), target).label()


@pytest.mark.parametrize("name", warmups.BUCKETS)
def test_planted_warm_ups_have_the_same_words_as_without_a_gpu(cuda: Checker, name: str) -> None:
    """The first find is the planted one, the argument named as on the simulator."""
    found = (label for label in _labels(cuda, f"{FILE}:{name}") if label not in ("passed", "declined"))
    assert next(found, "none") == warmups.BUCKETS[name]


@pytest.mark.parametrize("name", warmups.RIGHT)
def test_right_warm_ups_raise_no_alarm(cuda: Checker, name: str) -> None:
    """On the same drawn cases."""
    assert set(_labels(cuda, f"{FILE}:{name}")) <= {"passed", "declined"}


@pytest.mark.parametrize("name", GENERATIONS)
def test_no_generation_is_recompiled(cuda: Checker, name: str) -> None:
    """Whatever else it shows."""
    assert not any(label.startswith("recompiled") for label in _labels(cuda, name))


def test_a_warm_up_that_strays_is_a_fault(cuda: Checker) -> None:
    """Its store to address 0 costs a worker, and the next case runs."""
    case = replace(numbered(5, 0, ("small",))[0], cold=False)
    assert [cuda.attempt(case, target).label() for target in (f"{FILE}:astray", "masked_grid")] == [
        "faulted:memory",
        "passed",
    ]
