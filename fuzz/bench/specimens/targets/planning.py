"""Planners, each with one fault: which layers count, how wide a page is, how many kernel blocks make a block."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from kvzero.planner import plan
from kvzero.segments import SegmentTable
from kvzero.zeroer import KVBlockZeroer


def exact_type(layout, device):
    """Full attention by its exact type: a subtype is left out (vllm#37530)."""
    return _of_groups(layout, device, lambda spec: type(spec).__name__ == "FullAttentionSpec")


def full_attention_only(layout, device):
    """Full attention and its subtypes: sliding windows are left out (vllm#51749)."""
    return _of_groups(
        layout, device, lambda spec: any(kind.__name__ == "FullAttentionSpec" for kind in type(spec).__mro__)
    )


def block_stride_for_page(layout, device):
    """From a layer's offset on, all of a block's stride (vllm#43990)."""
    table = plan(device, *layout.arguments())
    return _zero(SegmentTable(table.base, table.stride, table.stride.copy(), table.blocks), device)


def one_kernel_block(layout, device):
    """A kernel block is taken for a block, in both forms of the constructor (kvcached#330)."""
    zeroers = []
    for group in layout.groups:
        sizes = [max(size, group.kv_cache_spec.block_size) for size in layout.kernel_block_sizes]
        told = replace(layout, kernel_block_sizes=sizes, num_blocks=_kernel_blocks(layout, group))
        zeroers.append(_zero(plan(device, [group], *told.arguments()[1:]), device))
    return lambda ids: [zero(ids) for zero in zeroers]


def first_at_an_address(layout, device):
    """Of layers at one address the first is cleared, also where its page is narrower."""
    zeroers = []
    seen = set()
    for group in layout.groups:
        for name in group.layer_names:
            alone = SimpleNamespace(**{**vars(group), "layer_names": [name]})
            table = plan(device, [alone], *layout.arguments()[1:])
            new = np.array([address not in seen for address in table.base.tolist()], bool)
            seen |= set(table.base.tolist())
            zeroers.append(_zero(SegmentTable(table.base[new], table.stride[new], table.page[new]), device))
    return lambda ids: [zero(ids) for zero in zeroers]


def _of_groups(layout, device, counts):
    groups = [group for group in layout.groups if counts(group.kv_cache_spec)]
    return _zero(plan(device, groups, *layout.arguments()[1:]), device)


def _kernel_blocks(layout, group):
    """Kernel blocks of a group's caches, as many as its first tensor has."""
    caches = [layout.static_forward_context[name].kv_cache for name in group.layer_names]
    return next((cache.shape[0] for cache in caches if hasattr(cache, "shape")), layout.num_blocks)


def _zero(table, device):
    return KVBlockZeroer.of(table, device, kernel="masked_grid").zero_block_ids


for _target in (exact_type, full_attention_only, block_stride_for_page, one_kernel_block, first_at_an_address):
    _target.takes = "layout"
