"""Fewer and plainer layers: what structure means where a case is a layout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from fuzz.case import Case
from fuzz.ids import Ids, Run
from fuzz.layers import ITEM, ORDERS, WORD, Layer, Pool
from fuzz.profiles.parts import guarded


def fewer_layers(case: Case) -> Iterator[Case]:
    """Without some of the layers, halves first; pools that hold none go with them."""
    size = len(case.layers)
    while size:
        for start in range(0, len(case.layers), size):
            yield from _kept(case, (*case.layers[:start], *case.layers[start + size :]))
        size //= 2


def plainer_layers(case: Case) -> Iterator[Case]:
    """With one layer plainer in one way, or all of them at once."""
    for changes in _plainer(case.layers[0]):
        yield _with(case, tuple(replace(layer, **_fit(layer, changes)) for layer in case.layers))
    for index, layer in enumerate(case.layers):
        for changes in _plainer(layer):
            plain = replace(layer, **_fit(layer, changes))
            yield _with(case, (*case.layers[:index], plain, *case.layers[index + 1 :]))


def plainer_pools(case: Case) -> Iterator[Case]:
    """With one pool in a plainer order, without padding, or without a gap; with the target's warm-up, as is usual."""
    yield replace(case, cold=False)
    for index, pool in enumerate(case.pools):
        for changes in _plainer_pool(pool):
            pools = (*case.pools[:index], replace(pool, **changes), *case.pools[index + 1 :])
            yield guarded(replace(case, pools=pools))


def fewer_blocks(case: Case) -> Iterator[Case]:
    """Without the blocks behind the highest id, and with ids counted from the lowest."""
    found = [call.ids for call in case.calls if call.ids]
    low, high = min((ids.low for ids in found), default=0), max((ids.high for ids in found), default=0)
    for shift in (low, 0):
        calls = tuple(
            replace(call, ids=Ids(tuple(Run(r.first - shift, r.last - shift, r.times) for r in call.ids.runs)))
            for call in case.calls
        )
        for blocks in dict.fromkeys((high - shift + 1, high - shift + 2, max(case.num_blocks - 1, high - shift + 1))):
            yield guarded(replace(case, calls=calls, num_blocks=blocks))


def _kept(case: Case, layers: tuple[Layer, ...]) -> Iterator[Case]:
    used = sorted({layer.pool for layer in layers})
    if used:
        pools = tuple(case.pools[number] for number in used)
        moved = [replace(layer, pool=used.index(layer.pool)) for layer in layers]
        firsts = {layer.pool: index for index, layer in reversed(list(enumerate(moved)))}
        for first in firsts.values():
            moved[first] = replace(moved[first], overlay=False)
        yield guarded(replace(case, pools=pools, layers=tuple(moved)))


def _with(case: Case, layers: tuple[Layer, ...]) -> Case:
    return guarded(replace(case, layers=layers))


def _plainer(layer: Layer) -> Iterator[dict[str, Any]]:
    yield {"kind": "tensor", "expanded": False, "overlay": False}
    yield {"heads": 1, "tokens": 1, "content": 1, "ratio": 1}
    yield {"kind": "tensor"}
    yield {"expanded": False}
    yield {"overlay": False}
    yield {"spec": "full"}
    yield {"dtype": "float32"}
    for name in ("heads", "tokens", "content", "ratio"):
        value = getattr(layer, name)
        for less in (1, value // 2, value - 1):
            yield {name: max(less, 1)}


def _fit(layer: Layer, changes: dict[str, Any]) -> dict[str, Any]:
    """Changes with the content, at least a word of it, in whole words of the dtype that they lead to."""
    size = ITEM[changes.get("dtype", layer.dtype)]
    had = layer.content * ITEM[layer.dtype] // WORD
    words = max(changes["content"] * ITEM[layer.dtype] // WORD, 1) if "content" in changes else had
    return changes | {"content": words * WORD // size}


def _plainer_pool(pool: Pool) -> Iterator[dict[str, Any]]:
    for order in ORDERS[: ORDERS.index(pool.order)]:
        yield {"order": order}
    yield {"align": WORD}
    yield {"gap": 0}
