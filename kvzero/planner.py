"""From a runner's caches to segments: which layers count, what is a page, a stride, a block.

Both forms of upstream's constructor are read. The newer has blocks as the first dimension of every cache
and counts them (vllm#51718); the older asks each backend for its block dimension and takes the ratio of
scheduler blocks to kernel blocks from the spec. By default exactly a layer's own bytes are cleared;
upstream clears one span from a block's first byte to its last, which in packed layouts holds bytes of
other layers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import torch

from kvzero.segments import SegmentTable
from kvzero.specs import is_attention
from kvzero.told import PlanError, cache_of, integer, layer_names, left_out, require_elements, require_units

__all__ = ["PlanError", "View", "plan"]

_NEWER = ("static_forward_context", "num_blocks", "runner_only_attn_layers")
_OLDER = ("cache_dtype", "static_forward_context", "runner_only_attn_layers")


class View(NamedTuple):
    """A layer's cache: its tensor, the dimension that counts kernel blocks, and how many make a block."""

    layer: str
    tensor: torch.Tensor
    block_dim: int
    ratio: int

    @property
    def block_stride(self) -> int:
        """Bytes from one kernel block to the next."""
        return self.tensor.stride(self.block_dim) * self.tensor.element_size()

    def dims(self) -> list[tuple[int, int]]:
        """Size and stride in bytes of each other dimension that has more than one place."""
        size = self.tensor.element_size()
        return [
            (self.tensor.shape[dim], self.tensor.stride(dim) * size)
            for dim in range(self.tensor.ndim)
            if dim != self.block_dim and self.tensor.shape[dim] > 1
        ]


def plan(
    device: torch.device | str,
    attn_groups_iter: Any,
    kernel_block_sizes: Sequence[int],
    *rest: Any,
    wide: bool = False,
    **named: Any,
) -> SegmentTable:
    """The segments of a runner's caches.

    Args:
        device: where the caches lie that count; others are left out.
        attn_groups_iter: groups with ``kv_cache_spec``, ``kv_cache_group_id``, ``layer_names``, ``backend``.
        kernel_block_sizes: by group number, tokens of a kernel block; groups beyond it are left out.
        rest: newer form ``static_forward_context, num_blocks, runner_only_attn_layers=None``; older
            form ``cache_dtype, static_forward_context, runner_only_attn_layers=None``.
        wide: clear one span a block, as upstream does, instead of the layer's own bytes.
        named: the same by name.

    Raises:
        PlanError: naming layer, value and rule.
        TypeError: if the arguments fit neither form.
    """
    older = "cache_dtype" in named or (bool(rest) and not isinstance(rest[0], Mapping))
    told = _bound(_OLDER if older else _NEWER, rest, named)
    if not older:
        told["num_blocks"] = integer("plan", "num_blocks", told["num_blocks"])
    skipped = left_out(told.get("runner_only_attn_layers"))
    views = [
        view
        for group, layer, tensor in _caches(device, attn_groups_iter, kernel_block_sizes, told, skipped)
        for view in [
            _older(group, layer, tensor, kernel_block_sizes, told["cache_dtype"])
            if older
            else _newer(group, layer, tensor, told["num_blocks"])
        ]
    ]
    blocks = min((view.tensor.shape[view.block_dim] // view.ratio for view in views), default=0)
    return _table(views, told.get("num_blocks", blocks), wide=wide)


def _bound(names: tuple[str, ...], rest: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    told = dict(zip(names, rest, strict=False)) | named
    if len(rest) > len(names) or set(named) - set(names) or set(names[:2]) - set(told):
        raise TypeError(
            f"a zeroer takes (device, groups, kernel_block_sizes, {', '.join(_NEWER)}) or, as in older versions, "
            f"(device, groups, kernel_block_sizes, {', '.join(_OLDER)}); got {len(rest)} more and {sorted(named)}"
        )
    return told


def _caches(
    device: torch.device | str, groups: Any, sizes: Sequence[int], told: dict[str, Any], skipped: set[str]
) -> Iterator[tuple[Any, str, torch.Tensor]]:
    """The caches that count: attention, a tensor, here, and nobody else's."""
    kind = torch.device(device).type
    for group in groups:
        if not is_attention(group.kv_cache_spec):
            continue
        names = layer_names(group)
        layers = ", ".join(names)
        number = integer(layers, "kv_cache_group_id", group.kv_cache_group_id, 0)
        if number >= len(sizes):
            continue
        size = integer(layers, "block_size", getattr(group.kv_cache_spec, "block_size", None), 1)
        kernel_size = integer(layers, "kernel_block_size", sizes[number], 1)
        if size % kernel_size:
            raise PlanError(f"{layers}: block_size={size}: must be a multiple of kernel_block_size={kernel_size}")
        for layer in names:
            cache = cache_of(told["static_forward_context"], layer)
            if layer not in skipped and isinstance(cache, torch.Tensor) and cache.device.type == kind:
                yield group, layer, cache


def _newer(group: Any, layer: str, tensor: torch.Tensor, num_blocks: int) -> View:
    if getattr(group, "kernel_block_stride", 0):
        tensor = group.map_kv_cache_to_manager_blocks(tensor, num_blocks)
    require_elements(layer, tensor, 0)
    if num_blocks < 1 or tensor.shape[0] % num_blocks:
        raise PlanError(f"{layer}: shape[0]={tensor.shape[0]}: must be a multiple of num_blocks={num_blocks}")
    return View(layer, tensor, 0, tensor.shape[0] // num_blocks)


def _older(group: Any, layer: str, tensor: torch.Tensor, sizes: Sequence[int], cache_dtype: Any) -> View:
    spec, size = group.kv_cache_spec, sizes[group.kv_cache_group_id]
    asked = getattr(group.backend, "get_kv_cache_block_dim", None)
    if asked is None:
        raise PlanError(
            f"{layer}: backend={group.backend!r}: must have get_kv_cache_block_dim, as the older form asks it"
        )
    dim = integer(layer, "block dimension", asked(size, spec.num_kv_heads, spec.head_size, cache_dtype_str=cache_dtype))
    require_elements(layer, tensor, dim)
    ratio = spec.block_size // size
    if tensor.shape[dim] % ratio:
        raise PlanError(
            f"{layer}: shape[{dim}]={tensor.shape[dim]}: must be a multiple of {ratio} kernel blocks a block"
        )
    return View(layer, tensor, dim, ratio)


def _table(views: list[View], blocks: int, *, wide: bool) -> SegmentTable:
    found: dict[int, tuple[int, int]] = {}
    for view in views:
        run, outer = _span(view) if wide else _runs(view)
        step = view.block_stride
        stride = step * view.ratio
        kernel_blocks = view.tensor.shape[view.block_dim]
        if kernel_blocks == 1:
            step = stride = max(step, run)  # of one block, a tensor's stride says nothing
        if run > step:
            raise PlanError(f"{view.layer}: page={run} bytes: wider than its block stride of {step}, so blocks overlap")
        starts = [sum(place) for place in product(*(range(0, size * far, far) for size, far in outer))]
        for start, virtual in product(starts, range(view.ratio)):
            address = view.tensor.data_ptr() + start + virtual * step
            require_units(view.layer, address=address, stride=stride, page=run)
            known, page = found.get(address, (stride, 0))
            if known != stride and kernel_blocks > view.ratio:
                raise PlanError(
                    f"{view.layer}: block stride={stride}: another layer at 0x{address:x} has {known}; "
                    "layers that share memory must share their block stride"
                )
            found[address] = (stride, max(page, run))
    rows = [(address, *sizes) for address, sizes in found.items()]
    columns = np.array(rows, np.int64).reshape(-1, 3).T.copy()
    return SegmentTable(columns[0], columns[1], columns[2], blocks)


def _runs(view: View) -> tuple[int, list[tuple[int, int]]]:
    """The longest stretch of a kernel block without a gap, and size and stride of what repeats it."""
    run = view.tensor.element_size()
    outer = []
    for size, stride in sorted(view.dims(), key=lambda dim: dim[1]):
        if stride <= run:
            run += (size - 1) * stride
        else:
            outer.append((size, stride))
    return run, outer


def _span(view: View) -> tuple[int, list[tuple[int, int]]]:
    """A kernel block from its first byte to its last; dimensions that lie outside of blocks repeat it."""
    outer = [(size, stride) for size, stride in view.dims() if stride > view.block_stride]
    inner = [(size, stride) for size, stride in view.dims() if stride <= view.block_stride]
    return view.tensor.element_size() + sum((size - 1) * stride for size, stride in inner), outer
