"""A layout case as a target gets it: tensors over the arena, in groups, as a runner would hand them over."""

from __future__ import annotations

from typing import Any

import torch

from fuzz.case import Case
from fuzz.layers import ITEM, Layer, Place
from fuzz.layout import lead
from kvzero import specs

SPECS: dict[str, Any] = {
    "full": specs.FullAttentionSpec,
    "mla": specs.MLAAttentionSpec,
    "sliding": specs.SlidingWindowSpec,
    "chunked": specs.ChunkedLocalAttentionSpec,
}


def caches(case: Case, image: torch.Tensor) -> specs.CacheLayout:
    """The layers of a case as views of its image.

    Args:
        case: a case with layers.
        image: the arena's bytes, guard zones included, uint8 ``[n]`` on the target's device.
    """
    context: dict[str, Any] = {}
    groups: dict[tuple[object, ...], specs.AttentionGroup] = {}
    sizes: list[int] = []
    runner_only = set()
    for number, place in enumerate(case.placed.places):
        layer = place.layer
        name = f"layers.{number}.attn"
        context[name] = specs.layer_of(_cache(layer, _view(place, image, lead(case))))
        if layer.kind == "runner_only":
            runner_only.add(name)
        key = (layer.spec, layer.dtype, layer.heads, layer.tokens, layer.content, layer.ratio, place.block_dim)
        if key not in groups:
            backend = specs.Backend(place.block_dim)
            groups[key] = specs.AttentionGroup(backend, [], _spec(layer), len(sizes))
            sizes.append(layer.tokens)
        groups[key].layer_names.append(name)
    older = any(place.block_dim for place in case.placed.places)
    return specs.CacheLayout(
        list(groups.values()), sizes, context, case.num_blocks, runner_only, "auto" if older else None
    )


def _view(place: Place, image: torch.Tensor, ahead: int) -> torch.Tensor:
    """One layer's cache."""
    typed = image.view(getattr(torch, place.layer.dtype))
    size = ITEM[place.layer.dtype]
    offset = typed.storage_offset() + (place.offset + ahead) // size
    return typed.as_strided(place.shape, [stride // size for stride in place.strides], offset)


def _cache(layer: Layer, tensor: torch.Tensor) -> Any:
    """What is bound to a layer: a tensor, or one of the things that a zeroer leaves alone."""
    if layer.spec == "mamba" or layer.kind == "tuple":
        return (tensor, tensor[..., :1])
    return tensor.to("meta") if layer.kind == "elsewhere" else tensor


def _spec(layer: Layer) -> Any:
    block = layer.tokens * layer.ratio
    dtype = getattr(torch, layer.dtype)
    if layer.spec == "mamba":
        return specs.MambaSpec(block, ((layer.heads, layer.content),), (dtype,))
    return SPECS[layer.spec](block, layer.heads, layer.content, dtype)
