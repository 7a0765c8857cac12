"""vLLM's planner behind a layout, on a stand-in for vLLM, in the simulator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from fuzz.adapters import vllm, vllm_kernel
from fuzz.engines.simulator import register, simulated
from kvzero import specs
from kvzero.segments import SegmentTable
from tests.conftest import ROOT

POISON = 0xA5
CPU = torch.device("cpu")
INTS = torch.int32

pytestmark = pytest.mark.usefixtures("vllm_stand_in")


def _layout(*layers: tuple[Any, Any], blocks: int = 4, **more: Any) -> specs.CacheLayout:
    """A group for each spec and cache."""
    groups = [specs.AttentionGroup(specs.Backend(), [f"layer {i}"], spec, i) for i, (spec, _) in enumerate(layers)]
    context = {f"layer {i}": specs.layer_of(cache) for i, (_, cache) in enumerate(layers)}
    return specs.CacheLayout(groups, [4] * len(layers), context, blocks, **more)


def _cache(blocks: int = 4) -> torch.Tensor:
    return torch.full((blocks * 64,), POISON, dtype=torch.uint8).view(INTS).view(blocks, 1, 4, 4)


def _cleared(cache: torch.Tensor) -> list[bool]:
    return [not block.any() for block in cache]


def test_each_attention_spec_becomes_vllms_own() -> None:
    """A layer of each kind is cleared in the blocks asked for, a state-space layer is left alone."""
    attention = [
        specs.FullAttentionSpec(4, 1, 2, INTS),
        specs.MLAAttentionSpec(4, 1, 4, INTS, kv_quant_mode=1),
        specs.SlidingWindowSpec(4, 1, 2, INTS, sliding_window=8),
        specs.ChunkedLocalAttentionSpec(4, 1, 2, INTS, attention_chunk_size=8),
    ]
    caches = [_cache() for _ in range(5)]
    with simulated():
        for cache in caches:
            register(cache)
        vllm.of_layout(_layout(*zip([*attention, specs.MambaSpec(4, ((16,),), (INTS,))], caches, strict=True)), CPU)(
            [2, 0]
        )
    assert [_cleared(cache) for cache in caches] == [[True, False, True, False]] * 4 + [[False] * 4]


def test_a_spec_arrives_with_all_its_fields() -> None:
    """Type, numbers and the quantisation mode are those of vLLM's module."""
    interface = vllm.package().interface
    made = vllm._spec(interface, specs.SlidingWindowSpec(16, 2, 8, torch.int8, kv_quant_mode=1, sliding_window=3))
    expected = interface.SlidingWindowSpec(
        block_size=16, num_kv_heads=2, head_size=8, dtype=torch.int8, kv_quant_mode=interface.KVQuantMode(1),
        sliding_window=3,
    )  # fmt: skip
    assert made == expected
    assert vllm._spec(interface, made) is made


def test_layers_of_the_runner_alone_are_left_alone() -> None:
    """Their names reach vLLM's constructor."""
    cache, other = _cache(), _cache()
    spec = specs.FullAttentionSpec(4, 1, 2, INTS)
    with simulated():
        register(cache)
        register(other)
        vllm.of_layout(_layout((spec, cache), (spec, other), runner_only_attn_layers={"layer 1"}), CPU)([1])
    assert (_cleared(cache)[1], _cleared(other)[1]) == (True, False)


def test_a_layout_of_the_older_form_is_refused() -> None:
    """It names the field; and the target says beforehand that such layouts are not for it."""
    layout = _layout((specs.FullAttentionSpec(4, 1, 2, INTS), _cache()), cache_dtype="auto")
    with pytest.raises(ValueError, match="cache_dtype='auto': vLLM's zeroer takes layouts of the newer form only"):
        vllm.of_layout(layout, CPU)
    assert vllm.target("vllm").takes == "layout"
    assert vllm.target("vllm").newer_form


def test_a_table_is_laid_out_as_the_constructor_would() -> None:
    """The meta tuple of vLLM's constructor and that of the same segments in a table are equal."""
    caches = [_cache(), _cache()]
    spec = specs.FullAttentionSpec(4, 1, 2, INTS)
    (made,) = vllm.of_layout(_layout(*((spec, cache) for cache in caches)), CPU).__self__._meta[:1]
    columns = np.array([[cache.data_ptr() for cache in caches], [64, 64], [64, 64]])
    told = vllm_kernel.laid_out(SegmentTable(*columns), CPU)
    assert told[0].tolist() == made.tolist()
    assert [one.tolist() for one in told[1:3]] == [[16, 16], [16, 16]]
    assert told[3:] == (1, 16, 2)


def test_sizes_that_the_constructor_would_refuse_are_refused() -> None:
    """A page of two bytes is the adapter's to refuse: its constructor, which asserts it, is left out."""
    columns = np.array([[0, 64], [64, 64], [64, 2]])
    with pytest.raises(ValueError, match="page: not all are multiples of 4 bytes"):
        vllm_kernel.laid_out(SegmentTable(*columns), CPU)


def test_readme_names_the_packages_that_the_adapter_names() -> None:
    """The line to install them is the same in both."""
    readme = " ".join((ROOT / "README.md").read_text().replace("\\\n", " ").split())
    assert f"pip install -c constraints.txt {vllm.LIGHT}" in readme
