"""Caches whose clearing is timed: the six that kernels are compared on, and what a user names."""

from __future__ import annotations

import re
from typing import NamedTuple

from fuzz.errors import UsageError

EL = 4
"""Bytes of the elements that upstream counts pages in."""

_FORM = re.compile(r"(?:\d+x\d+\+)*\d+x\d+@\d+:\d+")


class Geometry(NamedTuple):
    """A cache and a call.

    Attributes:
        name: what a row calls it.
        pages: bytes of each segment's page; blocks lie without padding, segments one behind the other.
        blocks: blocks of each segment.
        ids: distinct blocks that a call clears.
    """

    name: str
    pages: tuple[int, ...]
    blocks: int
    ids: int

    @property
    def useful(self) -> int:
        """Bytes that a call has to clear."""
        return sum(self.pages) * self.ids


def _by_turns(wide: int, narrow: int, segments: int = 181) -> tuple[int, ...]:
    return tuple((narrow if number % 2 else wide) * EL for number in range(segments))


_DSV4 = _by_turns(9344, 292)

FIXED = (
    Geometry("dsv4-6870", _DSV4, 7000, 6870),
    Geometry("dsv4-64", _DSV4, 7000, 64),
    Geometry("dsv4-1", _DSV4, 7000, 1),
    Geometry("glm-256", (10496 * EL,) * 78 + (2112 * EL,) * 78, 1024, 256),
    Geometry("uniform-128", (16384 * EL,) * 24, 1024, 128),
    Geometry("odd-1000", _by_turns(9345, 293), 2000, 1000),
)
"""DeepSeek-V4 with all, some and one of its blocks, two even geometries, and one whose pages no vector divides."""


def parsed(text: str) -> Geometry:
    """A geometry from ``78x41984+78x8448@1024:256``: segments of a page in bytes, blocks, ids of a call.

    Raises:
        UsageError: naming the form, or the number that is out of range.
    """
    if not _FORM.fullmatch(text):
        raise UsageError(f"geometry={text!r}: must be SEGMENTSxPAGE+...@BLOCKS:IDS, for instance 24x65536@1024:128")
    cache, _, counts = text.partition("@")
    blocks, ids = map(int, counts.split(":"))
    groups = [tuple(map(int, group.split("x"))) for group in cache.split("+")]
    if not 0 < ids <= blocks:
        raise UsageError(f"geometry={text!r}: {ids} ids of {blocks} blocks; a call clears 1 to {blocks} distinct ones")
    if any(0 in group for group in groups):
        raise UsageError(f"geometry={text!r}: segments and pages must be 1 or more")
    return Geometry(text, tuple(page for segments, page in groups for _ in range(segments)), blocks, ids)
