"""Words for a wrong region: which part of a page it covers, or whose bytes it damaged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oracles.pages import Effects, Region, Segments


def part_of_page(regions: Sequence[Region], effects: Effects) -> str:
    """``whole page``, ``head``, ``body`` or ``tail``: the part of the first wrong page that is wrong.

    Decided by the span from the page's first wrong byte to its last: the whole page if every byte is
    wrong; else its head if the span starts at the page's first byte, its tail if it ends at the last.

    Args:
        regions: the wrong regions of one kind, by address; at least one lies in a page.
        effects: the pages that had to be cleared.
    """
    first = regions[0].start
    holds = (effects.pages[:, 0] <= first) & (first < effects.pages[:, 1])
    start, stop = effects.pages[np.flatnonzero(holds)[0]].tolist()
    inside = [(max(r.start, start), min(r.stop, stop)) for r in regions if r.start < stop and r.stop > start]
    if sum(high - low for low, high in inside) == stop - start:
        return "whole page"
    if inside[0][0] == start:
        return "head"
    return "tail" if inside[-1][1] == stop else "body"


def victim(offset: int, segments: Segments, effects: Effects, inside: range) -> str:
    """Whose byte it is that had to stay: padding, other block, other segment, other storage, guard.

    A byte of a block's stride that no page owns is padding. A byte of an untargeted page is told by
    the targeted page next to it, the likeliest culprit: another block of its segment, another segment
    whose extent touches that segment's, or another storage altogether. The rest is guard zone.

    Args:
        offset: the byte's place in the image.
        segments: all segments, untargeted blocks included.
        effects: the pages that had to be cleared.
        inside: the image's bytes between the guard zones.
    """
    block, within = np.divmod(offset - segments.base, segments.stride)
    lone = segments.blocks == 1
    block, within = np.where(lone, 0, block), np.where(lone, offset - segments.base, within)
    exists = (block >= 0) & (block < segments.blocks) & (offset in inside)
    in_page = np.flatnonzero(exists & (within >= 0) & (within < segments.page))
    if not in_page.size:
        padding = exists & (within >= 0) & (within < segments.stride)
        return "padding" if padding.any() else "guard"
    if not len(effects.pages):
        return "other block"
    starts, stops = effects.pages[:, 0], effects.pages[:, 1]
    nearest = effects.owner[np.argmin(np.maximum(starts - offset, offset - stops + 1))]
    if nearest in in_page:
        return "other block"
    storages = _storages(segments, inside)
    return "other segment" if storages[nearest] in storages[in_page] else "other storage"


def _storages(segments: Segments, inside: range) -> np.ndarray:
    """The storage of each segment: extents that touch form one."""
    starts = np.clip(segments.base, inside.start, inside.stop)
    last = segments.base + (segments.blocks - 1) * segments.stride
    stops = np.clip(last + np.maximum(segments.stride, segments.page), inside.start, inside.stop)
    rank = np.argsort(starts, kind="stable")
    reach = np.maximum.accumulate(stops[rank])
    opens = np.concatenate([[False], starts[rank][1:] > reach[:-1]])
    storages = np.empty(len(rank), np.int64)
    storages[rank] = np.cumsum(opens)
    return storages
