"""The first planner (vllm#35219, before #49704): a page is what lies between two blocks.

Faults kept: only the exact type of full attention is cleared (#37530); the page is read off the stride, so
that a packed layer's page covers its neighbours (#50276); of layers at one address the first wins; the
ratio of blocks is rounded down; all pages must be equal (#49696); a tensor elsewhere counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import torch

from kvzero.segments import SegmentTable

KERNEL = "uniform_page"


def plan(
    device: torch.device | str,  # noqa: ARG001 - nobody asked where a tensor lies
    groups: Any,
    kernel_block_sizes: Sequence[int],
    cache_dtype: Any,
    static_forward_context: Mapping[str, Any],
    runner_only_attn_layers: set[str],
) -> SegmentTable:
    """The segments of a runner's caches; arguments as in the older form of :func:`kvzero.planner.plan`.

    Raises:
        AssertionError: if pages differ.
    """
    seen: dict[int, int] = {}
    page = 0
    for group in groups:
        spec = group.kv_cache_spec
        if type(spec).__name__ != "FullAttentionSpec" or group.kv_cache_group_id >= len(kernel_block_sizes):
            continue
        size = kernel_block_sizes[group.kv_cache_group_id]
        dim = group.backend.get_kv_cache_block_dim(size, spec.num_kv_heads, spec.head_size, cache_dtype_str=cache_dtype)
        for layer in group.layer_names:
            cache = static_forward_context[layer].kv_cache
            if layer in runner_only_attn_layers or not isinstance(cache, torch.Tensor) or cache.data_ptr() in seen:
                continue
            step = cache.stride(dim) * cache.element_size()
            own = step * (spec.block_size // size)
            assert page in (0, own), f"Non-uniform page sizes: {page // 4} vs {own // 4}"  # noqa: S101 - as upstream
            page = own
            for start in outer_starts(cache, dim, step):
                seen[cache.data_ptr() + start] = page
    base = np.array(list(seen), np.int64)
    pages = np.array(list(seen.values()), np.int64)
    return SegmentTable(base, pages, pages.copy())


def outer_starts(cache: torch.Tensor, block_dim: int, step: int) -> list[int]:
    """Offsets in bytes of what lies outside of blocks: dimensions before theirs, with longer strides."""
    size = cache.element_size()
    outer = [dim for dim in range(block_dim) if cache.stride(dim) * size > step]
    return [
        sum(index * cache.stride(dim) * size for index, dim in zip(place, outer, strict=True))
        for place in product(*(range(cache.shape[dim]) for dim in outer))
    ]
