"""One case: a layout of segments, the calls made on one zeroer, and what makes it legal."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

import msgspec

from fuzz.ids import Ids
from fuzz.layers import ITEM, Layer, Placed, Pool, placed, volume

SCHEMA = 1

ALIGNMENT = 512
"""The arena's offset 0 lies at a multiple of this many bytes, like a CUDA allocation."""

LARGEST_BYTES = 2**47
"""Bases, strides and pages lie below this in absolute value: user addresses of a GPU have 47 bits."""

LARGEST_BLOCKS = 2**48
MOST_SEGMENTS = 2**20

WHOLE = 2**26
"""A segment that ends within this many bytes of the arena's start is held whole; a longer one, or one
with a biased base, only up to its last targeted block."""


WIDE_STRIDE = 2**16


class Segment(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``blocks`` pages of ``page`` bytes, ``stride`` bytes apart; ``times`` equal ones in the table.

    ``base`` is an offset in the arena and may be negative, as long as each targeted page lies inside.
    """

    base: int
    blocks: int
    page: int
    stride: int
    times: int = 1

    @property
    def length(self) -> int:
        """Bytes from the first block's start to the last one's end, its padding included."""
        return (self.blocks - 1) * self.stride + max(self.page, self.stride)


STREAMS = 4
"""The current stream, 0, and three others."""


class Call(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One call of the zeroer, in turn after the one before it; or a write by somebody else.

    ``raw`` replaces ``ids`` in hostile cases whose ids are no integers of 62 bits.

    Calls with a ``stream``, with calls to wait for in ``after``, of op ``write`` or with ``graph`` are
    in flight together: each begins when the calls before it on its stream have ended, and those at the
    indices ``after``. A write fills the pages with a pattern that must survive. With ``graph`` the call
    is captured into a CUDA graph before all others, and replayed at its place.
    """

    op: Literal["zero", "write"]
    ids: Ids = Ids()
    raw: tuple[Any, ...] | None = None
    stream: int = 0
    after: tuple[int, ...] = ()
    graph: bool = False

    def arguments(self) -> list[Any]:
        """The plain list that the target gets."""
        return list(self.raw) if self.raw is not None else self.ids.tolist()

    @property
    def overlaps(self) -> bool:
        """Whether the call is one of those that are in flight together."""
        return bool(self.stream or self.after or self.graph) or self.op == "write"


class Origin(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where a case comes from: a public report or a run of the search."""

    kind: Literal["history", "fuzz", "hand"]
    ref: str | None = None
    seed: int | None = None
    index: int | None = None
    profile: str | None = None


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True, dict=True):
    """A whole case; sizes and offsets in bytes.

    Its cache is given as ``segments``, or as ``layers`` in ``pools`` of ``num_blocks`` blocks. A
    ``sequence`` has neither, nor calls or a guard: its cases run in turn in one process, side by side
    where there are batches, and show together what none of them shows alone.
    ``finds`` names what a target still shows: ``{"page_table@h200": "clobbered:padding"}``.
    ``blocks_known`` is false where the table must not tell its number of blocks, ``cold`` is true where
    the target's warm-up is not run.
    """

    schema: int = SCHEMA
    domain: Literal["contract", "hostile"]
    guard: int
    calls: tuple[Call, ...]
    segments: tuple[Segment, ...] = ()
    layers: tuple[Layer, ...] = ()
    pools: tuple[Pool, ...] = ()
    num_blocks: int = 0
    sequence: tuple[Case, ...] = ()
    title: str = ""
    blocks_known: bool = True
    cold: bool = False
    finds: dict[str, str] = {}
    origin: Origin | None = None

    @cached_property
    def blocks(self) -> int:
        """Blocks that every segment or layer has."""
        return min((segment.blocks for segment in self.segments), default=self.num_blocks)

    @cached_property
    def whole(self) -> bool:
        """Whether every block of every segment lies in the arena, and not only those that are cleared."""
        return all(s.base >= 0 and s.base + (s.blocks - 1) * s.stride + s.page <= self.end for s in self.segments)

    @cached_property
    def placed(self) -> Placed:
        """Where the layers lie."""
        return placed(self.pools, self.layers, self.num_blocks)

    @cached_property
    def overlaps(self) -> bool:
        """Whether the calls are in flight together, instead of one by one."""
        return any(call.overlaps for call in self.calls)

    def keeps(self, unit: int) -> bool:
        """Whether all bases, strides and pages are multiples of ``unit`` bytes."""
        sizes = [size for s in self.segments for size in (s.base, s.page, s.stride)]
        sizes += [one.content * ITEM[one.dtype] for one in self.layers]
        sizes += [size for pool in self.pools for size in (pool.align, pool.gap)]
        return not any(size % unit for size in sizes)

    @cached_property
    def end(self) -> int:
        """Bytes of the arena between its two guard zones."""
        if self.layers:
            return self.placed.end
        high = max((call.ids.high for call in self.calls if call.ids), default=0)
        end = 0
        for segment in self.segments:
            end = max(end, held_end(segment, min(high, segment.blocks - 1)))
        return end

    @cached_property
    def volume(self) -> int:
        """Bytes that all calls clear together, repeats of ids and segments included."""
        return sum(len(call.ids) for call in self.calls) * self.block_volume

    @cached_property
    def block_volume(self) -> int:
        """Bytes of one block in all segments, repeats of segments included."""
        return sum(segment.page * segment.times for segment in self.segments) + volume(self.layers)

    def widest(self) -> int:
        """The widest page or stride, which a guard zone must be able to take if it goes astray.

        A stride that is wider than its page counts up to 64 KB: those of profile far span gigabytes.
        """
        sizes = [(s.page, s.stride) for s in self.segments]
        sizes += [(one.layer.page, one.tiles[0][1]) for one in self.placed.places] if self.layers else []
        pages, strides = zip(*sizes, strict=True)
        widest: int = max(*pages, min(max(strides), WIDE_STRIDE))
        return widest


def held_end(segment: Segment, high: int) -> int:
    """Where a segment ends in the arena if ``high`` is the last block that is targeted."""
    base = segment.base
    whole = base + segment.length
    return whole if base >= 0 and whole <= WHOLE else base + max(high, 0) * segment.stride + segment.page
