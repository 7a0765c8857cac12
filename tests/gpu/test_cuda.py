"""What only a GPU can show; skipped with the reason where there is none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from fuzz.build import numbered
from fuzz.built_in import GENERATIONS
from fuzz.checking import Checker
from fuzz.layout import total
from tests.cli.test_planted import BUCKETS
from tests.conftest import planted

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")

CASES = 200

HELD = 2**33
"""Bytes of an arena that any device of today has room for."""


@pytest.fixture(scope="module")
def cuda() -> Iterator[Checker]:
    """A worker on the GPU with every built-in target and every planted one."""
    names = (*GENERATIONS, "index_fill", *map(planted, BUCKETS), planted("uncompilable"))
    one = Checker(names, "cuda")
    yield one
    one.close()


@pytest.mark.parametrize("name", BUCKETS)
def test_planted_faults_have_the_same_words_as_without_a_gpu(cuda: Checker, name: str) -> None:
    """The first find of a planted target falls into its bucket."""
    for index in range(CASES):
        case, _ = numbered(1, index, ("small",))
        verdict = cuda.attempt(case, planted(name))
        if verdict.outcome == "finding":
            assert verdict.label() == BUCKETS[name]
            return
    pytest.fail(f"{name} passed {CASES} cases")


def test_a_kernel_that_does_not_compile(cuda: Checker) -> None:
    """The compiler's error is rejected:compile."""
    assert cuda.attempt(numbered(1, 0, ("small",))[0], planted("uncompilable")).label() == "rejected:compile"


@pytest.mark.parametrize("target", ["masked_grid", "index_fill", "block_stride"])
def test_right_kernels_pass(cuda: Checker, target: str) -> None:
    """Small and far cases without a find; caches of gigabytes, too, where the device has memory for them."""
    cases = [numbered(3, index, ("small", "far"))[0] for index in range(CASES)]
    assert {cuda.attempt(case, target).label() for case in cases if total(case) <= HELD} == {"passed"}
    large = {cuda.attempt(case, target).label() for case in cases if total(case) > HELD}
    assert "passed" in large
    assert large <= {"passed", "unproved"}


def test_gpu_and_interpreter_agree(cuda: Checker) -> None:
    """Where the interpreter can hold a case, every generation gets the same verdict on both."""
    interpreter = Checker(tuple(GENERATIONS), "interpreter")
    compared = 0
    try:
        for index in range(60):
            case, _ = numbered(4, index, ("small", "launch"))
            for target in GENERATIONS:
                verdict = interpreter.attempt(case, target)
                if verdict.outcome != "unproved":
                    compared += 1
                    assert cuda.attempt(case, target).label() == verdict.label(), (index, target)
    finally:
        interpreter.close()
    assert compared > 100


def test_a_lost_device_costs_one_worker(cuda: Checker) -> None:
    """After an illegal address the next case runs."""
    drawn = (numbered(1, index, ("small",))[0] for index in range(1000))
    case = next(one for one in drawn if sum(segment.times for segment in one.segments) == 6 and one.calls[0].ids)
    labels = [cuda.attempt(case, target).label() for target in (planted("null_pointer"), "masked_grid")]
    assert labels == ["faulted:memory", "passed"]
