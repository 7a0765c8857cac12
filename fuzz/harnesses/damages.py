"""What can be wrong with the caches that a runner hands over: one damage a function, decided by a source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from fuzz.harnesses import MORE_DAMAGES
from fuzz.source import Source
from kvzero.specs import Backend, CacheLayout, layer_of

MOST = 3
DIMS = 5
NUMBERS: tuple[Any, ...] = (0, -1, 1, 2, 3, 7, 2**31, 2**63, -(2**63), 1.5, float("nan"), None, "2", (), True)
OBJECTS: tuple[Any, ...] = (None, 3, "cache", [], (), np.zeros(4, np.float32))


def damage(layout: CacheLayout, image: torch.Tensor, source: Source) -> int:
    """Damage a layout in place, up to three times.

    Args:
        layout: sound caches.
        image: the bytes that they lie in; damaged ones lie there too.
        source: decides what, where and how; when it gives its lowest number first, nothing is damaged.

    Returns:
        How many damages were done.
    """
    done = 0
    while done < MOST and source.integer(0, MORE_DAMAGES):
        _DAMAGES[source.integer(0, len(_DAMAGES) - 1)](layout, image, source)
        done += 1
    return done


def _pick(source: Source, among: Any) -> Any:
    values = list(among)
    return values[source.integer(0, len(values) - 1)]


def _num_blocks(layout: CacheLayout, _image: torch.Tensor, source: Source) -> None:
    layout.num_blocks = _pick(source, NUMBERS)


def _kernel_size(layout: CacheLayout, _image: torch.Tensor, source: Source) -> None:
    place = source.integer(0, len(layout.kernel_block_sizes) - 1)
    layout.kernel_block_sizes[place] = _pick(source, NUMBERS)


def _fewer_kernel_sizes(layout: CacheLayout, _image: torch.Tensor, source: Source) -> None:
    if len(layout.kernel_block_sizes) > 1:
        del layout.kernel_block_sizes[source.integer(1, len(layout.kernel_block_sizes) - 1) :]


def _block_size(layout: CacheLayout, _image: torch.Tensor, source: Source) -> None:
    group = _pick(source, layout.groups)
    if hasattr(group.kv_cache_spec, "block_size"):
        group.kv_cache_spec = replace(group.kv_cache_spec, block_size=_pick(source, NUMBERS))


def _spec(layout: CacheLayout, _image: torch.Tensor, source: Source) -> None:
    half = SimpleNamespace(num_kv_heads=1, head_size=1)
    _pick(source, layout.groups).kv_cache_spec = _pick(source, (None, half, 3))


def _group_number(layout: CacheLayout, _image: torch.Tensor, source: Source) -> None:
    _pick(source, layout.groups).kv_cache_group_id = _pick(source, NUMBERS)


def _block_dim(layout: CacheLayout, _image: torch.Tensor, source: Source) -> None:
    _pick(source, layout.groups).backend = _pick(source, [Backend(dim) for dim in NUMBERS] + [None])


def _layer_names(layout: CacheLayout, _image: torch.Tensor, source: Source) -> None:
    _pick(source, layout.groups).layer_names = _pick(source, (["nobody"], [[]], None, 3, "ab", [None]))


def _no_layer(layout: CacheLayout, _image: torch.Tensor, source: Source) -> None:
    name = _pick(source, layout.static_forward_context)
    layout.static_forward_context = {
        other: layer for other, layer in layout.static_forward_context.items() if other != name
    } or {"nobody": layer_of(None)}


def _no_cache(layout: CacheLayout, _image: torch.Tensor, source: Source) -> None:
    _bind(layout, source, SimpleNamespace())


def _no_tensor(layout: CacheLayout, _image: torch.Tensor, source: Source) -> None:
    _bind(layout, source, layer_of(_pick(source, OBJECTS)))


def _sparse(layout: CacheLayout, _image: torch.Tensor, source: Source) -> None:
    _bind(layout, source, layer_of(torch.eye(4).to_sparse()))


def _strided(layout: CacheLayout, image: torch.Tensor, source: Source) -> None:
    """Any view of the image's bytes: any rank, any sizes, overlapping or empty, at any byte."""
    shape = [source.integer(0, 8) for _ in range(source.integer(0, DIMS))]
    strides = [source.integer(0, 64) for _ in shape]
    reach = sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True) if size)
    if reach < image.numel():
        offset = image.storage_offset() + source.integer(0, image.numel() - 1 - reach)
        _bind(layout, source, layer_of(image.as_strided(shape, strides, offset)))


def _runner_only(layout: CacheLayout, _image: torch.Tensor, source: Source) -> None:
    layout.runner_only_attn_layers = _pick(source, (None, 3, [[]], "layers", {"nobody"}))


def _bind(layout: CacheLayout, source: Source, layer: Any) -> None:
    name = _pick(source, layout.static_forward_context)
    layout.static_forward_context = {**layout.static_forward_context, name: layer}


_DAMAGES: tuple[Callable[[CacheLayout, torch.Tensor, Source], None], ...] = (
    _num_blocks,
    _kernel_size,
    _fewer_kernel_sizes,
    _block_size,
    _spec,
    _group_number,
    _block_dim,
    _layer_names,
    _no_layer,
    _no_cache,
    _no_tensor,
    _sparse,
    _strided,
    _runner_only,
)
