"""Which bytes must be zero after a case, and where an image differs from that.

Two functions: :func:`effects` says which bytes a zeroer must write, :func:`compare` holds an image
against it and knows nothing of zeroing. A kernel that copies would bring effects of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

import numpy as np

from oracles.differences import Differences, joined, stretches

SLICE = 2**24
"""Bytes compared at a time, so that a large image needs no second copy."""

_BYTE = np.dtype(np.uint8)

Rows = list[tuple[int, int, int]]


class Segments(NamedTuple):
    """Pages in an image, int64 ``[segments]`` each: block ``i`` owns ``[base + i*stride, +page)``."""

    base: np.ndarray
    stride: np.ndarray
    page: np.ndarray
    blocks: np.ndarray


@dataclass(frozen=True, eq=False)
class Effects:
    """Bytes that must be written, with the value 0.

    Attributes:
        pages: every page that must be cleared, int64 ``[n, 2]``, start and stop in the image, by start.
        owner: the segment that each page belongs to, int64 ``[n]``.
        must: the same bytes as disjoint intervals, int64 ``[m, 2]``, by start.
        may: bytes that may be cleared or left, as disjoint intervals by start; where they are also in
            ``must``, they must.
    """

    pages: np.ndarray
    owner: np.ndarray
    must: np.ndarray
    may: np.ndarray = field(default_factory=lambda: np.empty((0, 2), np.int64))


Kind = Literal["clobbered", "wrong", "stale"]

KINDS: tuple[Kind, ...] = get_args(Kind)
"""By the numbers of :mod:`oracles.differences`."""


class Region(NamedTuple):
    """Neighbouring bytes of one kind that are not as they have to be."""

    start: int
    stop: int
    kind: Kind


def effects(segments: Segments, ids: np.ndarray) -> Effects:
    """The bytes that clearing the blocks ``ids``, int64 ``[n]``, must set to zero."""
    starts = (segments.base + ids[:, None] * segments.stride).ravel()
    stops = starts + np.tile(segments.page, len(ids))
    rank = np.lexsort((stops, starts))
    owner = np.tile(np.arange(len(segments.base)), len(ids))[rank]
    pages = np.stack([starts[rank], stops[rank]], axis=1)
    return Effects(pages, owner, merged(pages))


NOTHING = Effects(np.empty((0, 2), np.int64), np.empty(0, np.int64), np.empty((0, 2), np.int64))
"""Of a call that writes nothing."""


def undone(effects: Effects) -> list[Region]:
    """What is wrong with an image that shows :data:`NOTHING` where it had to show some effects: all that had to go."""
    return [Region(start, stop, "stale") for start, stop in effects.must.tolist()]


def is_right(before: np.ndarray, after: np.ndarray, rows: Rows, stretches: Sequence[tuple[int, int]]) -> bool:
    """Whether an image is ``before`` with stretches of blocks cleared, and nothing else.

    The same question as an empty :func:`compare`, answered faster for few stretches: most images are
    right.

    Args:
        before: the image that was laid, uint8 ``[n]``.
        after: the image that came back, uint8 ``[n]``.
        rows: base, stride and page of each segment, as places in the image.
        stretches: first and last block of each run of blocks, the first not after the last.
    """
    expected = bytearray(before)
    counted = [(first, last - first + 1) for first, last in stretches]
    for base, stride, page in rows:
        for first, blocks in counted:
            np.ndarray((blocks, page), _BYTE, expected, base + first * stride, (stride, 1)).fill(0)
    return expected == after.data


def compare(before: np.ndarray, after: np.ndarray, effects: Effects) -> list[Region]:
    """Every region in which an image is not ``before`` with the effects applied, by address.

    Args:
        before: the image that was laid, uint8 ``[n]``, without a zero byte.
        after: the image that came back, uint8 ``[n]``.
        effects: what had to happen in between.
    """
    return listed(differences(before, after, effects))


def listed(found: Differences) -> list[Region]:
    """Differences one by one."""
    columns = zip(found.starts.tolist(), found.stops.tolist(), found.kinds.tolist(), strict=True)
    return [Region(start, stop, KINDS[kind]) for start, stop, kind in columns]


def differences(before: np.ndarray, after: np.ndarray, effects: Effects) -> Differences:
    """The same as columns, of which a large image may need very many."""
    found: list[Differences] = []
    first = 0
    for start in range(0, len(after), SLICE):
        stop = min(start + SLICE, len(after))
        expected = before[start:stop].copy()
        while first < len(effects.must) and effects.must[first, 1] <= start:
            first += 1
        for low, high in effects.must[first:].tolist():
            if low >= stop:
                break
            expected[max(low - start, 0) : high - start] = 0
        for low, high in effects.may.tolist():
            part = slice(max(low - start, 0), max(high - start, 0))
            expected[part][after[start:stop][part] == 0] = 0  # cleared or left, both are right
        if not np.array_equal(expected, after[start:stop]):
            found.append(stretches(before[start:stop], after[start:stop], expected).moved(start))
    return joined(found)


def compare_written(
    stores: Sequence[tuple[np.ndarray, np.ndarray, int | np.ndarray]], effects: Effects
) -> list[Region]:
    """The same where no bytes are held, but the stores to them, in order; nothing may be cleared that need not be.

    Args:
        stores: starts and stops, int64 ``[n]``, and the value that was stored there, or ``[n]`` of them.
        effects: what had to happen.
    """
    zero = other = np.empty((0, 2), np.int64)
    for starts, stops, value in stores:
        written = np.stack([starts, stops], axis=1)
        cleared = np.broadcast_to(np.asarray(value) == 0, len(written))
        if cleared.all():
            zero, other = _union(zero, written), _minus(other, written)
        else:
            zero = _minus(_union(zero, written[cleared]), written[~cleared])
            other = _union(_minus(other, written[cleared]), written[~cleared])
    if not len(other) and np.array_equal(zero, effects.must):
        return []
    touched = _union(zero, other)
    found = [(interval, "clobbered") for interval in _minus(touched, effects.must).tolist()]
    found += [(interval, "stale") for interval in _minus(effects.must, touched).tolist()]
    found += [(interval, "wrong") for interval in _minus(other, _minus(other, effects.must)).tolist()]
    return [Region(start, stop, kind) for (start, stop), kind in sorted(found)]  # type: ignore[arg-type]


def _union(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    both = np.concatenate([a, b])
    return merged(both[np.argsort(both[:, 0], kind="stable")])


def _minus(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The bytes of some intervals without those of others, as disjoint intervals by start."""
    if not len(a) or not len(b):
        return _union(a, a[:0])
    a, b = _union(a, a[:0]), _union(b, b[:0])
    places = np.concatenate([a[:, 0], a[:, 1], b[:, 0], b[:, 1]])
    inside = np.repeat(np.array([1, -1, -2, 2]), [len(a), len(a), len(b), len(b)])
    rank = np.argsort(places, kind="stable")
    places, state = places[rank], np.cumsum(inside[rank])
    kept = (state[:-1] == 1) & (places[1:] > places[:-1])
    return merged(np.stack([places[:-1][kept], places[1:][kept]], axis=1))


def merged(pages: np.ndarray) -> np.ndarray:
    """Intervals by start, int64 ``[n, 2]``, as disjoint ones."""
    if not len(pages):
        return pages
    reach = np.maximum.accumulate(pages[:, 1])
    opens = np.concatenate([[True], pages[1:, 0] > reach[:-1]])
    closes = np.concatenate([opens[1:], [True]])
    return np.stack([pages[opens, 0], reach[closes]], axis=1)
