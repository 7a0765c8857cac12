"""Caches as a runner has them: hybrid groups in one pool, mixed dtypes, every physical order, odd block sizes.

Up to three pools of up to four layers each; layers may overlay each other, share memory among heads, or
be none of the zeroer's business. Every number is small: what a planner gets wrong, it gets wrong in the
small.
"""

from __future__ import annotations

from fuzz.case import SCHEMA, Case
from fuzz.layers import DTYPES, ITEM, KINDS, ORDERS, SPECS, WORD, Layer, Pool
from fuzz.profiles import parts
from fuzz.source import Source, Trace, Untraceable

POOLS = 3
LAYERS = 4
MORE_LAYERS = 2
BLOCKS = 8
HEADS = 4
TOKENS = 20
WORDS = 12
"""Most words of four bytes in one token of one head."""

RATIO = 4
ALIGN = 6
"""Slots are padded to 4 bytes times two to this power, at the most."""

GAP = 64
USUAL = 12
"""Of so many layers one, on average, is unusual in a way."""


def build(source: Source, unit: int) -> Case:  # noqa: ARG001 - layouts are made of words
    """Draw a case with layers."""
    blocks = source.integer(1, BLOCKS)
    pools: list[Pool] = []
    layers: list[Layer] = []
    while not pools or (len(pools) < POOLS and source.integer(0, 1)):
        order = ORDERS[source.integer(0, len(ORDERS) - 1)]
        pools.append(Pool(order, WORD << source.integer(0, ALIGN), source.integer(0, GAP) * WORD))
        ratio = source.integer(1, RATIO)
        first = len(layers)
        while len(layers) == first or (len(layers) < first + LAYERS and source.integer(0, MORE_LAYERS)):
            layers.append(_layer(source, len(pools) - 1, ratio, tiled=order[0] == "B", first=len(layers) == first))
    calls = parts.calls(source, blocks)
    case = Case(
        schema=SCHEMA,
        domain="contract",
        guard=0,
        layers=tuple(layers),
        pools=tuple(pools),
        num_blocks=blocks,
        calls=tuple(calls),
    )
    return parts.guarded(case)


def trace(case: Case, unit: int) -> list[int]:  # noqa: ARG001
    """The choices that make :func:`build` draw this case.

    Raises:
        Untraceable: if it never would.
    """
    if not case.layers:
        raise Untraceable("no layers")
    to = Trace()
    blocks = to.integer(1, BLOCKS, case.num_blocks)
    if [layer.pool for layer in case.layers] != sorted(layer.pool for layer in case.layers):
        raise Untraceable("layers do not stand by pool")
    for number, pool in enumerate(case.pools):
        if number:
            to.integer(0, 1, 1)
        _trace_pool(to, pool, [layer for layer in case.layers if layer.pool == number])
    if len(case.pools) < POOLS:
        to.integer(0, 1, 0)
    parts.trace_calls(to, case.calls, blocks)
    if case.guard != parts.guarded(case).guard or len(case.pools) > POOLS:
        raise Untraceable("more pools, or another guard, than are drawn")
    return to.choices


def _trace_pool(to: Trace, pool: Pool, layers: list[Layer]) -> None:
    to.integer(0, len(ORDERS) - 1, ORDERS.index(pool.order))
    power = (pool.align // WORD).bit_length() - 1
    if WORD << power != pool.align:
        raise Untraceable(f"align={pool.align}: this profile draws powers of two")
    to.integer(0, ALIGN, power)
    to.integer(0, GAP, pool.gap // WORD)
    tiled = pool.order[0] == "B"
    ratio = to.integer(1, RATIO, layers[0].ratio if tiled else 1)
    for index, layer in enumerate(layers):
        if index:
            to.integer(0, MORE_LAYERS, 1)
        _trace_layer(to, layer, ratio, tiled=tiled, first=not index)
    if len(layers) < LAYERS:
        to.integer(0, MORE_LAYERS, 0)
    elif len(layers) > LAYERS:
        raise Untraceable(f"{len(layers)} layers in a pool; this profile draws at most {LAYERS}")


def _layer(source: Source, pool: int, shared: int, *, tiled: bool, first: bool) -> Layer:
    spec = SPECS[source.integer(0, len(SPECS) - 1)]
    dtype = DTYPES[source.integer(0, len(DTYPES) - 1)]
    heads = source.integer(1, HEADS)
    tokens = source.integer(1, TOKENS)
    content = source.integer(1, WORDS) * WORD // ITEM[dtype]
    own = source.integer(1, RATIO)
    kind = KINDS[max(source.integer(0, USUAL) - USUAL + len(KINDS) - 1, 0)]
    expanded = source.integer(0, USUAL) == USUAL
    overlay = not first and source.integer(0, MORE_LAYERS) == MORE_LAYERS
    ratio = shared if tiled else own
    return Layer(pool, spec, dtype, heads, tokens, content, ratio, kind, expanded, overlay)


def _trace_layer(to: Trace, found: Layer, shared: int, *, tiled: bool, first: bool) -> None:
    to.integer(0, len(SPECS) - 1, SPECS.index(found.spec))
    to.integer(0, len(DTYPES) - 1, DTYPES.index(found.dtype))
    to.integer(1, HEADS, found.heads)
    to.integer(1, TOKENS, found.tokens)
    to.integer(1, WORDS, found.content * ITEM[found.dtype] // WORD)
    to.integer(1, RATIO, 1 if tiled else found.ratio)
    kind = KINDS.index(found.kind)
    to.integer(0, USUAL, kind and USUAL - len(KINDS) + 1 + kind)
    to.integer(0, USUAL, USUAL if found.expanded else 0)
    if not first:
        to.integer(0, MORE_LAYERS, MORE_LAYERS if found.overlay else 0)
    if tiled and found.ratio != shared:
        raise Untraceable("layers of one tile with different ratios")
