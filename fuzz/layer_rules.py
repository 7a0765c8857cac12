"""Which layouts are legal: pools that hold something, sizes that a view can have, blocks that every layer has."""

from __future__ import annotations

from math import gcd

from fuzz.case import WHOLE, Case
from fuzz.layers import ITEM, WORD, Layer, Pool

MOST_SEGMENTS = 2**16


def broken_rule(case: Case) -> str | None:
    """The first rule that a layout breaks, as ``field=value: rule; way out``; None for a legal one."""
    if not case.layers:
        return "pools, num_blocks: only beside layers" if case.pools or case.num_blocks else None
    broken = _case(case)
    if broken:
        return broken
    for index, pool in enumerate(case.pools):
        broken = _pool(pool, [layer for layer in case.layers if layer.pool == index])
        if broken:
            return f"pools[{index}].{broken}"
    for index, layer in enumerate(case.layers):
        broken = _layer(layer, len(case.pools))
        if broken:
            return f"layers[{index}].{broken}"
    return _size(case)


def _case(case: Case) -> str | None:
    if case.domain != "contract":
        return f"domain={case.domain!r}: a case with layers is a contract case"
    if case.overlaps:
        return "calls: in a case with layers they are made one by one; give streams, after and write to segments"
    if case.num_blocks < 1 or not case.blocks_known:
        return f"num_blocks={case.num_blocks}: a case with layers has one block or more, and tells so"
    return None


def _size(case: Case) -> str | None:
    if case.end > WHOLE:
        return f"layers: they end at byte {case.end}; a case with layers is held whole, up to {WHOLE} bytes"
    segments = sum(2 * layer.ratio * layer.heads * layer.tokens for layer in case.layers)
    if segments >= MOST_SEGMENTS:
        return f"layers: up to {segments} segments; a launch holds fewer than {MOST_SEGMENTS}"
    return None


def _pool(pool: Pool, layers: list[Layer]) -> str | None:
    if pool.align < WORD or pool.align % WORD:
        return f"align={pool.align}: must be a multiple of {WORD} bytes"
    if pool.gap < 0 or pool.gap % WORD:
        return f"gap={pool.gap}: must be 0 or more, a multiple of {WORD} bytes"
    if not layers:
        return "order: no layer names this pool; delete it"
    if layers[0].overlay:
        return "order: its first layer has overlay, but there is none before it"
    if pool.order[0] == "B" and len({layer.ratio for layer in layers}) > 1:
        return f"order={pool.order}: blocks lie outside of layers, so all of them have one ratio"
    return None


def _layer(layer: Layer, pools: int) -> str | None:
    if not 0 <= layer.pool < pools:
        return f"pool={layer.pool}: there are {pools} pools, counted from 0"
    for name in ("heads", "tokens", "content", "ratio"):
        value = getattr(layer, name)
        if not 1 <= value <= MOST_SEGMENTS:
            return f"{name}={value}: must be 1 to {MOST_SEGMENTS}"
    size = layer.content * ITEM[layer.dtype]
    if size % WORD:
        least = WORD // gcd(WORD, ITEM[layer.dtype])
        return f"content={layer.content}: {size} bytes; must be a multiple of {WORD}, {least} elements of {layer.dtype}"
    return None
