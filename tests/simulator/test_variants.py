"""The rule of compiled variants against Triton itself: the same classes, the same compile key."""

from __future__ import annotations

import random
from typing import Any

import torch
import triton
import triton.language as tl

from fuzz.engines import argument_classes
from fuzz.engines.argument_classes import variant
from fuzz.engines.launch_hook import Watched

NUMBERS = (0, 1, 2, 15, 16, 17, 32, -1, -16, 2**31 - 1, 2**31, 2**31 + 1, 2**40, 2**63, 2**63 + 1)
DRAWN = 400


@triton.jit(do_not_specialize=["free"], do_not_specialize_on_alignment=["loose"])
def _of_all_kinds(words, plain, free, loose, maybe, WIDTH: tl.constexpr, more=3):
    tl.store(words + tl.arange(0, WIDTH), tl.arange(0, WIDTH), mask=plain + loose + free + more == 0)


def _arguments(source: random.Random) -> tuple[tuple[Any, ...], dict[str, Any]]:
    memory = torch.zeros(64, dtype=source.choice((torch.int32, torch.int64)))
    numbers = [source.choice(NUMBERS) for _ in range(3)]
    named = {"WIDTH": source.choice((2, 4)), "num_warps": source.choice((4, 8))}
    if source.random() < 0.3:
        named["more"] = source.choice(NUMBERS[:6])
    return (memory[source.randrange(5) :], *numbers, source.choice((None, 2.5, True, False))), named


def test_classes_and_compile_keys_tell_the_same_variants_apart() -> None:
    """On drawn arguments of every kind: of two launches, keys are equal where classes are, and only there."""
    source = random.Random(1)  # noqa: S311 - arguments are no secrets
    keys: dict[str, str] = {}
    with Watched(lambda launch: (0, 1, 1)) as watched:
        for _ in range(DRAWN):
            positional, named = _arguments(source)
            _of_all_kinds[(1,)](*positional, **named)
    for compiled in watched.compiled:
        classes = argument_classes._of_arguments(compiled.function, compiled.positional, compiled.named)
        assert keys.setdefault(str(classes), compiled.key) == compiled.key, classes
        assert variant(compiled).kernel == "_of_all_kinds"
    assert len(set(keys.values())) == len(keys) > 50
