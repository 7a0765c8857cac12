"""Which bytes must be zero where a cache is given as tensor views, and whose byte is whose.

A layer is a NumPy view of the storage by shape and byte strides; the elements of its cleared blocks must
be zero. No segment, page or stride of a block is derived: what indexes the view is the view itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from oracles.pages import Effects, merged


class View(NamedTuple):
    """A layer's cache in an image.

    Attributes:
        offset: place of its first element.
        shape: extents, those of the block dimension counted in kernel blocks.
        strides: bytes from one element to the next along each dimension, 0 or more.
        item: bytes of an element.
        block_dim: the dimension that counts kernel blocks.
        ratio: kernel blocks of a block.
        cleared: whether a zeroer has to clear it.
        tiles: start and stride of what a block owns of the pool, padding and other layers included: block
            ``i`` owns ``[start + i*stride, +stride)`` of each.
    """

    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    item: int
    block_dim: int
    ratio: int
    cleared: bool
    tiles: tuple[tuple[int, int], ...]


def effects(views: Sequence[View], ids: np.ndarray, size: int) -> Effects:
    """What clearing the blocks ``ids``, int64 ``[n]``, must and may do to an image of ``size`` bytes.

    Must: the elements of the blocks. May: bytes that the same block owns in the layer's pool, between the
    first and the last of those elements (upstream clears such a span: a new block owns its whole tile,
    vllm#51718).
    """
    pages, owners, spans = [np.empty((0, 2), np.int64)], [np.empty(0, np.int64)], [np.empty((0, 2), np.int64)]
    for number, view in enumerate(views):
        if not view.cleared or not len(ids):
            continue
        found = intervals(_marked(view, ids, size))
        pages.append(found)
        owners.append(np.full(len(found), number, np.int64))
        spans += [_owned(view, int(block)) for block in ids]
    joined, owner = np.concatenate(pages), np.concatenate(owners)
    rank = np.lexsort((joined[:, 1], joined[:, 0]))
    may = np.concatenate(spans)
    return Effects(joined[rank], owner[rank], merged(joined[rank]), merged(may[np.argsort(may[:, 0], kind="stable")]))


def victim(offset: int, views: Sequence[View], effects: Effects, inside: range, size: int) -> str:
    """Whose byte it is that had to stay: padding, other block, other segment, other storage, guard.

    The nearest targeted bytes are the likeliest culprit: a byte of the same layer is another block of it;
    one of a layer in the same pool another segment; one of another pool another storage. A byte that
    no layer has is padding within a pool, guard zone outside of all.
    """
    holders = [view for view in views if _marked(view, None, size)[offset]]
    if not holders or offset not in inside:
        return "padding" if offset in inside and any(_in_pool(view, offset) for view in views) else "guard"
    if not len(effects.pages):
        return "other block"
    starts, stops = effects.pages[:, 0], effects.pages[:, 1]
    nearest = views[effects.owner[np.argmin(np.maximum(starts - offset, offset - stops + 1))]]
    if nearest in holders:
        return "other block"
    return "other segment" if any(view.tiles == nearest.tiles for view in holders) else "other storage"


def intervals(marked: np.ndarray) -> np.ndarray:
    """The runs of true in a mask, int64 ``[n, 2]``, start and stop."""
    edges = np.flatnonzero(np.diff(marked.view(np.int8), prepend=0, append=0))
    return edges.reshape(-1, 2)


def _marked(view: View, ids: np.ndarray | None, size: int) -> np.ndarray:
    """A mask of the image's bytes: those of some blocks of a layer, or of all."""
    marked = np.zeros(size, bool)
    bytes_of = np.ndarray((*view.shape, view.item), bool, marked.data, view.offset, (*view.strides, 1))
    if ids is None:
        bytes_of[...] = True
    else:
        blocks = np.moveaxis(bytes_of, view.block_dim, 0)
        blocks[(ids[:, None] * view.ratio + np.arange(view.ratio)).ravel()] = True
    return marked


def _owned(view: View, block: int) -> np.ndarray:
    """Bytes between a block's first element and its last that belong to that block of the pool."""
    far = [(extent - 1) * step for extent, step in zip(view.shape, view.strides, strict=True)]
    step = view.strides[view.block_dim]
    far[view.block_dim] = (view.ratio - 1) * step
    first = view.offset + block * view.ratio * step
    last = first + sum(far) + view.item
    tiles = [(start + block * stride, start + (block + 1) * stride) for start, stride in view.tiles]
    found = [(max(first, low), min(last, high)) for low, high in tiles]
    return np.array([pair for pair in found if pair[0] < pair[1]], np.int64).reshape(-1, 2)


def _in_pool(view: View, offset: int) -> bool:
    blocks = view.shape[view.block_dim] // view.ratio
    return any(start <= offset < start + blocks * stride for start, stride in view.tiles)
