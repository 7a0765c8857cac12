"""The planner: upstream's own tests in our words, the six orders, what is left out, what is refused."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from fuzz.engines.simulator import register, simulated
from kvzero import specs, zeroer
from kvzero.planner import PlanError, plan
from kvzero.zeroer import KVBlockZeroer

EL = 4
FULL = specs.FullAttentionSpec(16, 1, 1, torch.int32)


class FakeKernel:
    """Records grids instead of launching."""

    def __init__(self) -> None:
        self.grids: list[tuple[int, ...]] = []

    def __getitem__(self, grid: tuple[int, ...]) -> Any:
        return lambda *args, **kwargs: self.grids.append(grid)


def _runner(
    caches: list[Any], num_blocks: int, *, spec: Any = FULL, kernel_block: int = 16, block_dim: int = 0
) -> specs.CacheLayout:
    names = [f"layers.{number}.attn" for number in range(len(caches))]
    group = specs.AttentionGroup(specs.Backend(block_dim), names, spec, 0)
    context = {name: specs.layer_of(cache) for name, cache in zip(names, caches, strict=True)}
    return specs.CacheLayout([group], [kernel_block], context, num_blocks, set(), "auto" if block_dim else None)


def _segments(layout: specs.CacheLayout, base: torch.Tensor, **options: Any) -> list[tuple[int, int, int]]:
    """Offset from a tensor's start, stride and page of each segment."""
    table = plan("cpu", *layout.arguments(), **options)
    return list(zip((table.base - base.data_ptr()).tolist(), table.stride.tolist(), table.page.tolist(), strict=True))


def test_pages_of_two_sizes_are_cleared_whole() -> None:
    """Pages of 10,496 and 2,112 elements, blocks 1 and 2 of 4: those rows are zero, 0 and 3 are left."""
    caches = [torch.full((4, page), 0x5A5A5A5A, dtype=torch.int32) for page in (10496, 2112)]
    with simulated():
        for cache in caches:
            register(cache)
        KVBlockZeroer("cpu", *_runner(caches, 4).arguments()).zero_block_ids([1, 2])
    for cache in caches:
        assert [bool(row.any()) for row in cache] == [True, False, False, True]
        assert (cache[[0, 3]] == 0x5A5A5A5A).all()


def test_the_dsv4_launch_is_planned_for_three_dimensions(monkeypatch: pytest.MonkeyPatch) -> None:
    """181 layers of 9,344 and 292 elements by turns: 6,870 ids make a grid of (6870, 181, 10)."""
    kernel = FakeKernel()
    monkeypatch.setattr(zeroer, "_zero_kv_blocks_kernel", kernel)
    monkeypatch.setattr(zeroer, "async_tensor_h2d", lambda data, dtype, device: torch.tensor(data, dtype=dtype))
    caches = [torch.zeros(2, 9344 if number % 2 == 0 else 292, dtype=torch.int32) for number in range(181)]
    one = KVBlockZeroer("cpu", *_runner(caches, 2).arguments(), kernel="masked_grid")
    assert one._meta[3:] == (10, 1024, 181)
    one.zero_block_ids(list(range(6870)))
    assert kernel.grids == [(6870, 181, 10)]


def test_the_last_block_of_a_packed_view() -> None:
    """4 blocks, 12 elements apart, pages of 4, 3 elements in: the last id clears those four and no other."""
    storage = torch.arange(1, 49, dtype=torch.int32)
    view = storage.as_strided((4, 4), (12, 1), 3)
    with simulated():
        register(storage)
        KVBlockZeroer("cpu", *_runner([view], 4).arguments()).zero_block_ids([3])
    expected = np.arange(1, 49)
    expected[39:43] = 0
    assert storage.tolist() == expected.tolist()


def test_four_packed_views_have_their_own_pages() -> None:
    """Views of 37,376 bytes, 37,440 apart in slabs of 149,760: neither the padding nor a neighbour is a page's."""
    storage = torch.zeros(100 * 149_760, dtype=torch.uint8)
    views = [storage.as_strided((100, 64, 584), (149_760, 584, 1), layer * 37_440) for layer in range(4)]
    assert _segments(_runner(views, 100), storage) == [(layer * 37_440, 149_760, 37_376) for layer in range(4)]


ORDERS = {
    "LBHNC": [(0, 240, 240)],
    "LBNHC": [(0, 240, 240)],
    "LHBNC": [(0, 80, 80), (320, 80, 80), (640, 80, 80)],
    "BLHNC": [(0, 480, 240)],
    "BLNHC": [(0, 480, 240)],
    "BHLNC": [(0, 480, 80), (160, 480, 80), (320, 480, 80)],
}


@pytest.mark.parametrize("order", ORDERS)
def test_the_six_orders(order: str) -> None:
    """A layer of 4 blocks, 3 heads, 5 tokens, 4 elements among two layers: exactly its bytes, in few segments."""
    extents = {"L": 2, "B": 4, "H": 3, "N": 5, "C": 4}
    storage = torch.zeros([extents[dim] for dim in order], dtype=torch.float32)
    view = storage.permute([order.index(dim) for dim in "LBHNC"])[0]
    assert sorted(_segments(_runner([view], 4), storage)) == ORDERS[order]


def test_upstream_clears_a_wider_span_where_heads_lie_outside_of_layers() -> None:
    """Under BHLNC a block's span covers the other layer's heads, but for the last; an option."""
    storage = torch.zeros(4, 3, 2, 5, 4, dtype=torch.float32)
    view = storage.permute(2, 0, 1, 3, 4)[0]
    assert _segments(_runner([view], 4), storage, wide=True) == [(0, 480, 400)]


def test_keys_and_values_outermost_are_two_segments() -> None:
    """The older form asks the backend for the block dimension: here the second."""
    cache = torch.zeros(2, 4, 5, 3, 4, dtype=torch.float32)
    assert _segments(_runner([cache], 4, block_dim=1), cache) == [(0, 240, 240), (960, 240, 240)]


def test_kernel_blocks_are_segments_of_their_own() -> None:
    """Blocks of 48 tokens in kernel blocks of 16: three segments, each a kernel block further on."""
    cache = torch.zeros(12, 16, 2, dtype=torch.float32)
    spec = specs.FullAttentionSpec(48, 1, 2, torch.float32)
    assert _segments(_runner([cache], 4, spec=spec), cache) == [(0, 384, 128), (128, 384, 128), (256, 384, 128)]


def test_of_layers_that_overlay_the_widest_page_wins() -> None:
    """Two layers at one address: their blocks are cleared as far as the wider one goes, whatever comes first."""
    storage = torch.zeros(4, 64, dtype=torch.float32)
    views = [storage[:, :width] for width in (16, 48, 32)]
    assert _segments(_runner(views, 4), storage) == [(0, 256, 192)]


def test_one_block_has_no_stride() -> None:
    """Of a single block, a tensor's stride is any number: layers of one address may differ in it."""
    storage = torch.zeros(64, dtype=torch.float32)
    views = [storage.as_strided((1, 16), (1, 1)), storage.as_strided((1, 32), (999, 1))]
    assert [page for _, _, page in _segments(_runner(views, 1), storage)] == [128]


def test_heads_that_share_memory_count_once() -> None:
    """An expanded dimension has stride 0."""
    cache = torch.zeros(4, 1, 8, dtype=torch.float32).expand(4, 6, 8)
    assert _segments(_runner([cache], 4), cache) == [(0, 32, 32)]


def test_what_is_not_the_zeroers_business_is_left_out() -> None:
    """State-space layers, other people's caches, tuples, tensors elsewhere, and groups without a kernel block."""
    cache = torch.zeros(4, 8, dtype=torch.float32)
    mamba = specs.MambaSpec(16, ((8,),), (torch.float32,))
    assert len(plan("cpu", *_runner([cache], 4, spec=mamba).arguments())) == 0
    for others in ((cache, cache), cache.to("meta"), None):
        assert len(plan("cpu", *_runner([others], 4).arguments())) == 0
    layout = _runner([cache], 4)
    assert len(plan("cpu", layout.groups, [16], layout.static_forward_context, 4, {"layers.0.attn"})) == 0
    assert len(plan("cpu", layout.groups, [], layout.static_forward_context, 4)) == 0


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (_runner([torch.zeros(5, 4)], 2), r"layers.0.attn: shape\[0\]=5: must be a multiple of num_blocks=2"),
        (_runner([torch.zeros(4, 4)], 4, kernel_block=5), r"layers.0.attn: block_size=16: .* kernel_block_size=5"),
        (_runner([torch.zeros(4, 3, dtype=torch.uint8)], 4), r"layers.0.attn: stride=3: must be a multiple of 4 bytes"),
        (_runner([torch.zeros(4, 4), torch.zeros(40).as_strided((4, 4), (2, 1))], 4), r"layers.1.attn: page=16 .* 8"),
        (_runner([torch.zeros(3, 2, 4)], 3, block_dim=1, kernel_block=4), r"layers.0.attn: shape\[1\]=2: .* 4 kernel"),
    ],
)
def test_what_cannot_be_cleared_is_refused(layout: specs.CacheLayout, words: str) -> None:
    """The error names layer, value and rule."""
    with pytest.raises(PlanError, match=words):
        plan("cpu", *layout.arguments())


def _told(**changed: Any) -> tuple[Any, ...]:
    """The arguments of one sound layer, some of them replaced; those of the group by its fields."""
    layout = _runner([torch.zeros(4, 8, dtype=torch.float32)], 4)
    for name in set(changed) & {"backend", "layer_names", "kv_cache_spec", "kv_cache_group_id"}:
        setattr(layout.groups[0], name, changed[name])
    context = {"layers.0.attn": changed["layer"]} if "layer" in changed else layout.static_forward_context
    context = changed.get("context", context)
    sizes, others = changed.get("sizes", [16]), changed.get("others")
    if changed.get("older"):
        return layout.groups, sizes, "auto", context, others
    return layout.groups, sizes, context, changed.get("num_blocks", 4), others


_EMPTY = specs.layer_of(torch.zeros(0, 8))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"num_blocks": None}, "plan: num_blocks=None: must be an integer"),
        ({"num_blocks": 2.0}, "plan: num_blocks=2.0: must be an integer"),
        ({"num_blocks": -2}, "must be a multiple of num_blocks=-2"),
        ({"sizes": [0]}, "layers.0.attn: kernel_block_size=0: must be 1 or more"),
        ({"sizes": [-16], "older": True}, "kernel_block_size=-16: must be 1 or more"),
        ({"sizes": ["16"]}, "kernel_block_size='16': must be an integer"),
        ({"kv_cache_spec": replace(FULL, block_size=0), "older": True}, "block_size=0: must be 1 or more"),
        ({"kv_cache_spec": SimpleNamespace(num_kv_heads=1, head_size=1)}, "block_size=None: must be an integer"),
        ({"kv_cache_group_id": -1}, "layers.0.attn: kv_cache_group_id=-1: must be 0 or more"),
        ({"kv_cache_group_id": None}, "kv_cache_group_id=None: must be an integer"),
        ({"layer_names": "ab"}, "layer_names='ab': must be a list of layer names"),
        ({"layer_names": [None]}, "must be a list of layer names"),
        ({"layer_names": ["nobody"]}, "nobody: is no key of static_forward_context"),
        ({"layer": SimpleNamespace()}, "layers.0.attn: has no kv_cache"),
        ({"layer": specs.layer_of(torch.eye(4).to_sparse())}, "layout=torch.sparse_coo: must be torch.strided"),
        ({"layer": specs.layer_of(torch.zeros(()))}, r"shape=\[\]: has no dimension 0"),
        ({"layer": _EMPTY}, r"shape=\[0, 8\]: holds no element"),
        ({"layer": specs.layer_of(torch.zeros(4, 0)), "older": True}, r"shape=\[4, 0\]: holds no element"),
        ({"backend": None, "older": True}, "backend=None: must have get_kv_cache_block_dim"),
        ({"backend": specs.Backend(2), "older": True}, r"shape=\[4, 8\]: has no dimension 2"),
        ({"backend": specs.Backend(-1), "older": True}, "has no dimension -1"),
        ({"others": 3}, "runner_only_attn_layers=3: must be a set of layer names, or None"),
    ],
)
def test_what_a_runner_tells_wrongly_is_refused(changed: dict[str, Any], words: str) -> None:
    """No other exception, and no table of what was not meant: -1 is neither a group nor a dimension."""
    with pytest.raises(PlanError, match=words):
        plan("cpu", *_told(**changed))


@pytest.mark.parametrize("older", [False, True])
def test_integers_of_any_type_are_integers(*, older: bool) -> None:
    """What NumPy and torch call a number counts as one."""
    spec = replace(FULL, block_size=np.int64(16))
    told = _told(num_blocks=np.int32(4), sizes=[torch.tensor(16)], kv_cache_spec=spec, older=older)
    assert plan("cpu", *told).page.tolist() == [32]


def test_layers_of_one_address_must_share_their_stride() -> None:
    """Else a block of one is no block of the other."""
    storage = torch.zeros(64)
    views = [storage.as_strided((4, 4), (8, 1)), storage.as_strided((4, 4), (16, 1))]
    with pytest.raises(PlanError, match=r"layers.1.attn: block stride=64: another layer at 0x[0-9a-f]+ has 32"):
        plan("cpu", *_runner(views, 4).arguments())


def test_arguments_of_neither_form_are_refused() -> None:
    """The error shows both forms."""
    with pytest.raises(TypeError, match=r"static_forward_context, num_blocks.*cache_dtype, static_forward_context"):
        plan("cpu", [], [], num_block=4)


@pytest.mark.parametrize(
    ("kinds", "needed"),
    [
        ([FULL], False),
        ([FULL, specs.SlidingWindowSpec(16, 1, 1, torch.int32)], False),
        ([FULL, specs.SlidingWindowSpec(16, 1, 1, torch.bfloat16)], True),
        ([FULL, specs.MLAAttentionSpec(16, 1, 1, torch.int32, kv_quant_mode=1)], True),
        ([specs.MambaSpec(16, ((1,),), (torch.float32,))], True),
    ],
)
def test_when_blocks_must_be_cleared(kinds: list[Any], *, needed: bool) -> None:
    """State-space layers, or attention of more than one precision."""
    groups = [specs.AttentionGroup(None, [], spec, number) for number, spec in enumerate(kinds)]
    assert specs.KVCacheConfig(4, groups).needs_kv_cache_zeroing is needed
