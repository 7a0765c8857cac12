"""Planners with one historical fault each, and two that are right; all take a layout."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from kvzero import SegmentTable
from kvzero.planner import plan
from kvzero.zeroer import KVBlockZeroer


def right(layout, device):
    """The planner as it is."""
    return _zero(plan(device, *layout.arguments()), device)


def wide(layout, device):
    """One span a block, as upstream clears it: other layers' bytes of the same block may go with it."""
    return _zero(plan(device, *layout.arguments(), wide=True), device)


def page_for_stride(layout, device):
    """A page as wide as its block stride (vllm#50276): the neighbours of a packed layer go with it."""
    table = plan(device, *layout.arguments())
    return _zero(SegmentTable(table.base, table.stride, table.stride.copy(), table.blocks), device)


def whole_slab(layout, device):
    """All of a block's stride from the first layer that has it on (vllm#52709's proposal)."""
    table = plan(device, *layout.arguments())
    base = np.array([table.base[table.stride == stride].min() for stride in table.stride], np.int64)
    return _zero(SegmentTable(base, table.stride, table.stride.copy(), table.blocks), device)


def wrong_ratio(layout, device):
    """A kernel block taken for a block (kvcached#330)."""
    zeroers = [
        _zero(plan(device, [group], *replace(layout, num_blocks=_blocks(layout, group)).arguments()[1:]), device)
        for group in layout.groups
    ]
    return lambda ids: [zero(ids) for zero in zeroers]


def first_page(layout, device):
    """Of layers at one address the first wins, also where its page is narrower."""
    zeroers = []
    seen = set()
    for group in layout.groups:
        for name in group.layer_names:
            alone = replace_layers(group, [name])
            table = plan(device, [alone], *layout.arguments()[1:])
            new = np.array([address not in seen for address in table.base.tolist()], bool)
            seen |= set(table.base.tolist())
            zeroers.append(_zero(SegmentTable(table.base[new], table.stride[new], table.page[new], None), device))
    return lambda ids: [zero(ids) for zero in zeroers]


def exact_type(layout, device):
    """Full attention alone, no subtype and no sibling of it (vllm#37530, #51749)."""
    groups = [group for group in layout.groups if type(group.kv_cache_spec).__name__ == "FullAttentionSpec"]
    return _zero(plan(device, groups, *layout.arguments()[1:]), device)


def keys_only(layout, device):
    """Where keys and values are outermost, the keys alone."""
    context = {}
    for group in layout.groups:
        dim = group.backend.get_kv_cache_block_dim(1, 1, 1)
        for name in group.layer_names:
            cache = layout.static_forward_context[name].kv_cache
            context[name] = SimpleNamespace(kv_cache=cache[:1] if dim == 1 and hasattr(cache, "shape") else cache)
    return _zero(plan(device, *replace(layout, static_forward_context=context).arguments()), device)


def no_runner_only(layout, device):
    """A layer that reads another's cache is cleared as if it had one of its own."""
    return _zero(plan(device, *replace(layout, runner_only_attn_layers=set()).arguments()), device)


def replace_layers(group, names):
    """A group with other layers."""
    return SimpleNamespace(
        backend=group.backend, layer_names=names, kv_cache_spec=group.kv_cache_spec,
        kv_cache_group_id=group.kv_cache_group_id,
    )  # fmt: skip


def _blocks(layout, group):
    """Kernel blocks of a group's caches, as many as its first tensor has."""
    for name in group.layer_names:
        cache = layout.static_forward_context[name].kv_cache
        if hasattr(cache, "shape"):
            return cache.shape[0]
    return layout.num_blocks


def _zero(table, device):
    return KVBlockZeroer.of(table, device, kernel="masked_grid").zero_block_ids


for _planted in list(vars().values()):
    if getattr(_planted, "__code__", None) and _planted.__code__.co_varnames[:2] == ("layout", "device"):
        _planted.takes = "layout"
