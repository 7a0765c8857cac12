"""What a runner tells a planner, checked where it is read: layer, value, rule, and no other exception.

A wrong answer would come later and be worse: a group number of -1 is the last kernel block size to Python,
a block dimension of -1 the last one, and a cache without elements has a page all the same.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import torch

UNIT = 4
"""Bytes that addresses, strides and pages are multiples of: kernels store int32."""


class PlanError(ValueError):
    """A cache that cannot be cleared: layer, value, rule."""


def integer(who: str, name: str, value: Any, least: int | None = None) -> int:
    """An integer of any type, as Python's own.

    Raises:
        PlanError: if it is none, or is less than ``least``.
    """
    try:
        found = operator.index(value)
    except TypeError:
        raise PlanError(f"{who}: {name}={value!r}: must be an integer") from None
    if least is not None and found < least:
        raise PlanError(f"{who}: {name}={found}: must be {least} or more")
    return found


def layer_names(group: Any) -> Sequence[str]:
    """The names of a group's layers.

    Raises:
        PlanError: if they are no list of names.
    """
    names = group.layer_names
    if isinstance(names, list | tuple) and all(isinstance(name, str) for name in names):
        return names
    raise PlanError(f"attn_groups: layer_names={names!r}: must be a list of layer names")


def left_out(names: Any) -> set[str]:
    """The layers of ``runner_only_attn_layers``.

    Raises:
        PlanError: if they are no names.
    """
    try:
        return set(names or ())
    except TypeError:
        raise PlanError(f"runner_only_attn_layers={names!r}: must be a set of layer names, or None") from None


def cache_of(context: Mapping[str, Any], layer: str) -> Any:
    """What is bound to a layer as its cache: a tensor if it counts, or anything else.

    Raises:
        PlanError: if the layer is unknown, or has no cache at all.
    """
    if layer not in context:
        raise PlanError(f"{layer}: is no key of static_forward_context; a group must name layers that are")
    try:
        return context[layer].kv_cache
    except AttributeError:
        raise PlanError(f"{layer}: has no kv_cache; bind caches before a zeroer is made") from None


def require_elements(layer: str, tensor: torch.Tensor, block_dim: int) -> None:
    """Refuse a tensor that has no blocks to clear.

    Raises:
        PlanError: if it is sparse, has no dimension ``block_dim``, or no element.
    """
    if tensor.layout != torch.strided:
        raise PlanError(f"{layer}: layout={tensor.layout}: must be torch.strided, for pages are found by strides")
    if not 0 <= block_dim < tensor.ndim:
        raise PlanError(f"{layer}: shape={list(tensor.shape)}: has no dimension {block_dim} that counts blocks")
    if not tensor.numel():
        raise PlanError(f"{layer}: shape={list(tensor.shape)}: holds no element; leave the layer out")


def require_units(layer: str, **numbers: int) -> None:
    """Refuse what an int32 store cannot address.

    Raises:
        PlanError: naming the first number that is no multiple of 4 bytes.
    """
    for name, value in numbers.items():
        if value % UNIT:
            raise PlanError(f"{layer}: {name}={value}: must be a multiple of {UNIT} bytes, because kernels store int32")
