"""Cache specs, with the fields that a planner or its caller names."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any


class KVQuantMode(IntEnum):
    """How a cache is quantised."""

    NONE = 0
    FP8_PER_TENSOR = 1


@dataclass(frozen=True, kw_only=True)
class AttentionSpec:
    """Any attention."""

    block_size: int
    num_kv_heads: int
    head_size: int
    dtype: Any
    kv_quant_mode: KVQuantMode = KVQuantMode.NONE


@dataclass(frozen=True, kw_only=True)
class FullAttentionSpec(AttentionSpec):
    """Over all tokens."""


@dataclass(frozen=True, kw_only=True)
class MLAAttentionSpec(FullAttentionSpec):
    """Latent."""


@dataclass(frozen=True, kw_only=True)
class SlidingWindowSpec(AttentionSpec):
    """Over the last tokens."""

    sliding_window: int


@dataclass(frozen=True, kw_only=True)
class ChunkedLocalAttentionSpec(AttentionSpec):
    """Within chunks."""

    attention_chunk_size: int


@dataclass(frozen=True)
class MambaSpec:
    """States."""

    block_size: int
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[Any, ...]
