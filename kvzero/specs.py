"""What a runner knows of its caches: light types with upstream's names and fields, as far as a planner reads them.

A planner asks for attributes, never for types, so vLLM's own objects pass too. The rules are those of
vllm/v1/kv_cache_interface.py, version 0.33.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any


@dataclass(frozen=True)
class AttentionSpec:
    """An attention layer's cache: tokens of a block as the scheduler counts them, heads, elements, dtype."""

    block_size: int
    num_kv_heads: int
    head_size: int
    dtype: Any
    kv_quant_mode: int = 0


@dataclass(frozen=True)
class FullAttentionSpec(AttentionSpec):
    """Attention over all tokens."""


@dataclass(frozen=True)
class MLAAttentionSpec(FullAttentionSpec):
    """Latent attention: one vector for keys and values."""


@dataclass(frozen=True)
class SlidingWindowSpec(AttentionSpec):
    """Attention over the last tokens, so that blocks are freed while a request runs."""

    sliding_window: int = 0


@dataclass(frozen=True)
class ChunkedLocalAttentionSpec(AttentionSpec):
    """Attention within chunks of tokens."""

    attention_chunk_size: int = 0


@dataclass(frozen=True)
class MambaSpec:
    """A state-space layer: a block holds one state, in several tensors."""

    block_size: int
    shapes: tuple[tuple[int, ...], ...] = ()
    dtypes: tuple[Any, ...] = ()


class Backend:
    """An attention backend, as far as a planner of the older form asks it.

    Args:
        block_dim: which dimension of its caches counts blocks: 1 where K and V are outermost.
    """

    def __init__(self, block_dim: int = 0) -> None:
        self._block_dim = block_dim

    def get_kv_cache_block_dim(
        self,
        block_size: int,  # noqa: ARG002 - upstream's signature
        num_kv_heads: int,  # noqa: ARG002
        head_size: int,  # noqa: ARG002
        cache_dtype_str: str = "auto",  # noqa: ARG002
    ) -> int:
        """The dimension that counts blocks."""
        return self._block_dim


@dataclass(eq=False)
class AttentionGroup:
    """Layers that share a spec and a backend."""

    backend: Any
    layer_names: list[str]
    kv_cache_spec: Any
    kv_cache_group_id: int


@dataclass(eq=False)
class CacheLayout:
    """All that a runner hands to a zeroer: caches by layer, and how they are grouped.

    Attributes:
        groups: layers by spec.
        kernel_block_sizes: by group number, tokens of a block as kernels count them.
        static_forward_context: by layer name, an object whose ``kv_cache`` is that layer's cache.
        num_blocks: blocks as the scheduler counts them.
        runner_only_attn_layers: layers whose cache belongs to another layer.
        cache_dtype: what the older constructor form was told, or None where the newer one applies:
            blocks are the first dimension of every cache.
    """

    groups: list[Any]
    kernel_block_sizes: list[int]
    static_forward_context: Mapping[str, Any]
    num_blocks: int
    runner_only_attn_layers: set[str] = field(default_factory=set)
    cache_dtype: str | None = None

    def arguments(self) -> tuple[Any, ...]:
        """What follows the device in a zeroer's constructor, in the form that applies."""
        if self.cache_dtype is not None:
            return self.older()
        head = (self.groups, self.kernel_block_sizes)
        return (*head, self.static_forward_context, self.num_blocks, self.runner_only_attn_layers)

    def older(self) -> tuple[Any, ...]:
        """The same in the older form."""
        head = (self.groups, self.kernel_block_sizes)
        return (*head, self.cache_dtype or "auto", self.static_forward_context, self.runner_only_attn_layers)


@dataclass(frozen=True, eq=False)
class KVCacheConfig:
    """A model's cache groups, each with a ``kv_cache_spec``."""

    num_blocks: int
    kv_cache_groups: list[Any]

    @property
    def needs_kv_cache_zeroing(self) -> bool:
        """Whether new blocks must be cleared: state-space layers, or attention caches of more than one precision.

        A block that held one kind of number is read as another: leftovers may be NaN (vllm#35219, #47574).
        """
        specs = [spec for group in self.kv_cache_groups for spec in layer_specs(group.kv_cache_spec)]
        precisions = {(spec.dtype, getattr(spec, "kv_quant_mode", 0)) for spec in specs if is_attention(spec)}
        return len(precisions) > 1 or any(is_mamba(spec) for spec in specs)


def layer_specs(spec: Any) -> Iterator[Any]:
    """A spec, or those that an aggregated one holds by layer."""
    held = getattr(spec, "kv_cache_specs", None)
    yield from held.values() if held is not None else (spec,)


def is_attention(spec: Any) -> bool:
    """Whether a spec describes an attention cache, of whatever type."""
    return hasattr(spec, "num_kv_heads") and hasattr(spec, "head_size")


def is_mamba(spec: Any) -> bool:
    """Whether a spec describes states of a state-space layer."""
    return hasattr(spec, "shapes") and hasattr(spec, "dtypes")


def layer_of(kv_cache: Any) -> Any:
    """A layer that has nothing but a cache, for a ``static_forward_context``."""
    return SimpleNamespace(kv_cache=kv_cache)
