"""Layout cases: layers in pools, and where each layer's elements lie.

A pool is one allocation. Its order names the dimensions from the outermost in: L layers, B blocks, H
heads, N tokens, C content; ``2BNHC`` has keys and values outermost. With blocks outside layers
(``BLHNC``) all layers of a block lie in one tile; with layers outside (``LBHNC``) each slot has a
stretch of its own. A slot holds one layer, or several that overlay each other.
"""

from __future__ import annotations

from math import lcm
from typing import Literal, NamedTuple, get_args

import msgspec

Order = Literal["LBHNC", "LBNHC", "LHBNC", "BLHNC", "BLNHC", "BHLNC", "2BNHC"]
Spec = Literal["full", "mla", "sliding", "chunked", "mamba"]
Dtype = Literal["float32", "bfloat16", "float8_e4m3fn", "uint8"]
Kind = Literal["tensor", "tuple", "elsewhere", "runner_only"]

ORDERS: tuple[Order, ...] = get_args(Order)
SPECS: tuple[Spec, ...] = get_args(Spec)
DTYPES: tuple[Dtype, ...] = get_args(Dtype)
KINDS: tuple[Kind, ...] = get_args(Kind)
"""Each from the plainest on."""

WORD = 4
"""Bytes that sizes of a layout are multiples of: kernels store int32."""

ITEM = {"float32": 4, "bfloat16": 2, "float8_e4m3fn": 1, "uint8": 1}
"""Bytes of an element."""


class Pool(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One allocation: ``gap`` bytes behind the one before; slots are padded to ``align`` bytes."""

    order: Order
    align: int = WORD
    gap: int = 0

    def rank(self) -> tuple[int, ...]:
        """Smaller for what is simpler."""
        return (ORDERS.index(self.order), self.align)


class Layer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One layer's cache: a view ``[kernel blocks, heads, tokens, content]`` of its pool.

    ``ratio`` kernel blocks make a block. ``expanded`` heads share memory (stride 0). With ``overlay`` it
    lies where the layer before it does. What is no plain tensor on the device is not cleared: a
    ``tuple`` of tensors, a tensor ``elsewhere``, a layer that ``runner_only`` reads another's cache.
    """

    pool: int
    spec: Spec
    dtype: Dtype
    heads: int
    tokens: int
    content: int
    ratio: int = 1
    kind: Kind = "tensor"
    expanded: bool = False
    overlay: bool = False

    def rank(self) -> tuple[int, ...]:
        """Smaller for what is simpler."""
        unusual = (KINDS.index(self.kind), self.expanded, self.overlay)
        return (*map(int, unusual), SPECS.index(self.spec), DTYPES.index(self.dtype), self.heads, self.tokens)

    @property
    def row(self) -> int:
        """Bytes of one head's kernel block."""
        return self.tokens * self.content * ITEM[self.dtype]

    @property
    def stored_heads(self) -> int:
        """Heads that have memory of their own."""
        return 1 if self.expanded else self.heads

    @property
    def page(self) -> int:
        """Bytes of a kernel block, padding left out."""
        return self.stored_heads * self.row

    @property
    def cleared(self) -> bool:
        """Whether a zeroer has to clear it."""
        return self.kind == "tensor" and self.spec != "mamba"


class Place(NamedTuple):
    """Where a layer lies: offset in the arena, shape and byte strides, and which dimension counts kernel blocks.

    ``tiles`` are start and stride of what its blocks own of the pool, padding and other layers included.
    """

    layer: Layer
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    block_dim: int
    tiles: tuple[tuple[int, int], ...]


class Placed(NamedTuple):
    """All places, by layer, and where the last pool ends."""

    places: tuple[Place, ...]
    end: int


def placed(pools: tuple[Pool, ...], layers: tuple[Layer, ...], blocks: int) -> Placed:
    """Lay out every pool, one behind the other."""
    places: dict[int, Place] = {}
    end = 0
    for number, pool in enumerate(pools):
        slots: list[list[tuple[int, Layer]]] = []
        for index, layer in enumerate(layers):
            if layer.pool == number:
                if layer.overlay and slots:
                    slots[-1].append((index, layer))
                else:
                    slots.append([(index, layer)])
        lay = _tiled if pool.order[0] == "B" else _apart
        end = lay(pool, slots, blocks, end + pool.gap, places)
    return Placed(tuple(places[index] for index in range(len(layers))), end)


def _tiled(pool: Pool, slots: list[list[tuple[int, Layer]]], blocks: int, base: int, places: dict[int, Place]) -> int:
    """Blocks outermost: every kernel block is a tile with a piece of each slot."""
    by_head = pool.order == "BHLNC"
    widths = [max(_up(one.row if by_head else one.page, pool.align) for _, one in slot) for slot in slots]
    heads = max((one.stored_heads for slot in slots for _, one in slot), default=1) if by_head else 1
    across = sum(widths)
    tile = across * heads
    ratio = slots[0][0][1].ratio if slots else 1
    for number, slot in enumerate(slots):
        for index, one in slot:
            head, token = (across, _item(one)) if by_head else _inner(pool.order, one)
            offset = base + sum(widths[:number])
            places[index] = _place(one, offset, blocks, tile, head, token, ((base, tile * ratio),))
    return base + blocks * ratio * tile


def _apart(pool: Pool, slots: list[list[tuple[int, Layer]]], blocks: int, base: int, places: dict[int, Place]) -> int:
    """Layers outermost: every slot has its blocks in a row, once for each head, or for keys and values."""
    for slot in slots:
        by_head = pool.order == "LHBNC"
        common = lcm(*(one.ratio for _, one in slot)) * pool.align
        stride = max(_up(one.ratio * _up(one.row if by_head else one.page, pool.align), common) for _, one in slot)
        rows = max(one.stored_heads for _, one in slot) if by_head else 2 if pool.order[0] == "2" else 1
        tiles = tuple((base + row * blocks * stride, stride) for row in range(rows))
        for index, one in slot:
            head, token = (blocks * stride, _item(one)) if by_head else _inner(pool.order, one)
            made = _place(one, base, blocks, stride // one.ratio, head, token, tiles)
            places[index] = _twice(made, blocks * stride) if pool.order[0] == "2" else made
        base += rows * blocks * stride
    return base


def _inner(order: str, layer: Layer) -> tuple[int, int]:
    """Byte strides of heads and tokens, where both lie inside a block."""
    if order.endswith("NHC"):
        return _item(layer), layer.stored_heads * _item(layer)
    return layer.row, _item(layer)


def _item(layer: Layer) -> int:
    """Bytes of one token of one head."""
    return layer.content * ITEM[layer.dtype]


def _place(
    layer: Layer, offset: int, blocks: int, step: int, head: int, token: int, tiles: tuple[tuple[int, int], ...]
) -> Place:
    shape = (blocks * layer.ratio, layer.heads, layer.tokens, layer.content)
    strides = (step, 0 if layer.expanded else head, token, ITEM[layer.dtype])
    return Place(layer, offset, shape, strides, 0, tiles)


def _twice(place: Place, apart: int) -> Place:
    """Keys and values as the outermost dimension, tokens before heads, as backends of the older form have them."""
    blocks, heads, tokens, content = place.shape
    block, head, token, item = place.strides
    return place._replace(
        shape=(2, blocks, tokens, heads, content), strides=(apart, block, token, head, item), block_dim=1
    )


def _up(size: int, unit: int) -> int:
    return -(-size // unit) * unit


def volume(layers: tuple[Layer, ...]) -> int:
    """Bytes that clearing one block takes, at the most."""
    return sum(2 * layer.ratio * layer.heads * layer.row for layer in layers)
