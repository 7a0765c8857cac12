"""The planner of vllm#50276: a stride apart from the page, every kernel block a segment of its own.

Faults kept: full attention and its subtypes only (#51749); of layers at one address the first wins, also
where its page is narrower (overlays); what lies outside of blocks is looked for before the block dimension
alone; a tensor elsewhere counts. It was rebuilt from its description, test and copies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from kvzero.planners.first_planner import outer_starts
from kvzero.segments import SegmentTable

KERNEL = "block_stride"


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
        AssertionError: if a block is no whole number of kernel blocks.
    """
    seen: set[int] = set()
    rows: list[tuple[int, int, int]] = []
    for group in groups:
        spec = group.kv_cache_spec
        full = any(kind.__name__ == "FullAttentionSpec" for kind in type(spec).__mro__)
        if not full or group.kv_cache_group_id >= len(kernel_block_sizes):
            continue
        size = kernel_block_sizes[group.kv_cache_group_id]
        assert spec.block_size % size == 0  # noqa: S101 - as upstream
        ratio = spec.block_size // size
        dim = group.backend.get_kv_cache_block_dim(size, spec.num_kv_heads, spec.head_size, cache_dtype_str=cache_dtype)
        for layer in group.layer_names:
            cache = static_forward_context[layer].kv_cache
            if layer in runner_only_attn_layers or not isinstance(cache, torch.Tensor) or cache.data_ptr() in seen:
                continue
            seen.add(cache.data_ptr())
            step = cache.stride(dim) * cache.element_size()
            page = _span(cache, dim, step)
            for start in outer_starts(cache, dim, step):
                first = cache.data_ptr() + start
                rows += [(first + virtual * step, step * ratio, page) for virtual in range(ratio)]
    columns = np.array(rows, np.int64).reshape(-1, 3).T.copy()
    return SegmentTable(columns[0], columns[1], columns[2])


def _span(cache: torch.Tensor, block_dim: int, step: int) -> int:
    """Bytes from a kernel block's first element to its last."""
    size = cache.element_size()
    inner = [
        dim
        for dim in range(cache.ndim)
        if dim != block_dim and not (dim < block_dim and cache.stride(dim) * size > step)
    ]
    return size + sum((cache.shape[dim] - 1) * cache.stride(dim) * size for dim in inner)
