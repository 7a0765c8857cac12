"""One case: a layout of segments, the calls made on one zeroer, and what makes it legal."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

import msgspec

from fuzz.ids import Ids

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

    ``finds`` names what a target still shows: ``{"page_table@h200": "clobbered:padding"}``.
    ``blocks_known`` is false where the table must not tell its number of blocks.
    """

    schema: int
    domain: Literal["contract", "hostile"]
    guard: int
    segments: tuple[Segment, ...]
    calls: tuple[Call, ...]
    title: str = ""
    blocks_known: bool = True
    finds: dict[str, str] = {}
    origin: Origin | None = None

    @cached_property
    def blocks(self) -> int:
        """Blocks that every segment has."""
        return min(segment.blocks for segment in self.segments)

    @cached_property
    def overlaps(self) -> bool:
        """Whether the calls are in flight together, instead of one by one."""
        return any(call.overlaps for call in self.calls)

    def keeps(self, unit: int) -> bool:
        """Whether all bases, strides and pages are multiples of ``unit`` bytes."""
        return not any(s.base % unit or s.page % unit or s.stride % unit for s in self.segments)

    @cached_property
    def end(self) -> int:
        """Bytes of the arena between its two guard zones."""
        high = max((call.ids.high for call in self.calls if call.ids), default=0)
        end = 0
        for segment in self.segments:
            end = max(end, held_end(segment, min(high, segment.blocks - 1)))
        return end

    @cached_property
    def volume(self) -> int:
        """Bytes that all calls clear together, repeats of ids and segments included."""
        ids = sum(len(call.ids) for call in self.calls)
        return ids * sum(segment.page * segment.times for segment in self.segments)

    def widest(self) -> int:
        """The widest page or stride, which a guard zone must be able to take if it goes astray.

        A stride that is wider than its page counts up to 64 KB: those of profile far span gigabytes.
        """
        return max(max(s.page, min(s.stride, WIDE_STRIDE)) for s in self.segments)


def _whole_end(segment: Segment) -> int | None:
    end = segment.base + segment.length
    return end if segment.base >= 0 and end <= WHOLE else None


def held_end(segment: Segment, high: int) -> int:
    """Where a segment ends in the arena if ``high`` is the last block that is targeted."""
    return _whole_end(segment) or segment.base + max(high, 0) * segment.stride + segment.page


def order(case: Case) -> tuple[object, ...]:
    """The size of a case: smaller tuples are simpler cases.

    Counted in turn: segments, calls, ids, blocks, sum of pages, strides, bases; then what is left to
    make two cases of one size compare the same way every time, segments by address last.
    """
    kinds = case.segments
    runs = [run for call in case.calls for run in call.ids.runs]
    return (
        sum(segment.times for segment in kinds),
        len(case.calls),
        sum(len(call.raw) if call.raw is not None else len(call.ids) for call in case.calls),
        sum(segment.blocks * segment.times for segment in kinds),
        sum(segment.page * segment.times for segment in kinds),
        sum(segment.stride * segment.times for segment in kinds),
        sum(abs(segment.base) * segment.times for segment in kinds),
        sum(abs(run.first) + abs(run.last) for run in runs),
        sum(run.first > run.last for run in runs),
        len(runs),
        sum(call.graph for call in case.calls),
        sum(call.op != "zero" for call in case.calls),
        sum(len(call.after) for call in case.calls),
        sum(call.stream for call in case.calls),
        not case.blocks_known,
        case.guard,
        [segment.base for segment in kinds],
    )
