"""A fixed suite: the inputs of the upstream project's own tests, under our oracles.

Upstream's tests replace the kernel of the large launch by a fake that records its grid, and fill caches with ones, of
which three bytes in four are zero. Here each input has the poison and the oracles that every other finder has, so
what it misses it misses for its inputs alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from fuzz.bench.finders.search import First, Stand, one_by_one
from fuzz.case import Call, Case, Segment
from fuzz.ids import Ids
from fuzz.layers import Layer, Pool
from fuzz.profiles.parts import guarded

ELEMENT = 4
NON_UNIFORM = (10_496 * ELEMENT, 2_112 * ELEMENT)
LARGE = (9_344 * ELEMENT, 292 * ELEMENT)
SEGMENTS, IDS = 181, 6_870
COUNTS = (1, 2, 3, 16, 32)
"""Numbers of ids that must not compile anything after the warm-up."""


def find(stand: Stand, seed: int, most: int) -> First:  # noqa: ARG001 - nothing is drawn
    """The suite from its first case to its last."""
    suite = layouts() if stand.subject.takes == "layout" else tables()
    return one_by_one(stand, suite)


def tables() -> Iterator[Case]:
    """Non-uniform pages; the warm-up's counts; two calls in turn; a packed last block; the large launch."""
    yield _table(_rows(NON_UNIFORM, 4), "1,2")
    for count in COUNTS:
        yield _table((Segment(0, 64, 4096, 4096),), f"0-{count - 1}" if count > 1 else "0")
    yield _table((Segment(0, 4, 4096, 4096),), "1", "2")
    yield _table((Segment(3 * ELEMENT, 4, 4 * ELEMENT, 12 * ELEMENT),), "3")
    yield _table(_rows([LARGE[number % 2] for number in range(SEGMENTS)], IDS), f"0-{IDS - 1}")


def layouts() -> Iterator[Case]:
    """Four packed views of 64 tokens of 584 bytes, 37,440 apart: the last block, and two blocks."""
    view = Layer(0, "full", "uint8", 1, 64, 584)
    for ids in ("99", "1,2"):
        pool = Pool("BLHNC", 37_440)
        yield guarded(
            Case(
                schema=1, domain="contract", guard=0, layers=(view,) * 4, pools=(pool,), num_blocks=100,
                calls=(Call("zero", Ids.parse(ids)),),
            )
        )  # fmt: skip


def _rows(pages: tuple[int, ...] | list[int], blocks: int) -> tuple[Segment, ...]:
    """Segments one behind the other, each page as wide as its stride."""
    found, base = [], 0
    for page in pages:
        found.append(Segment(base, blocks, page, page))
        base += blocks * page
    return tuple(found)


def _table(segments: tuple[Segment, ...], *calls: str) -> Case:
    made = tuple(Call("zero", Ids.parse(ids)) for ids in calls)
    return guarded(Case(schema=1, domain="contract", guard=0, segments=segments, calls=made))
