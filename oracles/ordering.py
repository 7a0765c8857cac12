"""What must stand in each block after calls that were in flight together.

A call clears blocks or writes into them. It begins after the calls before it on its own stream and
after those it waits for; nothing else orders two calls. The block belongs to the last call that
touches it. Two calls that leave different bytes in one block and are not ordered leave it undefined.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, NamedTuple


class Step(NamedTuple):
    """One call.

    Attributes:
        op: ``zero``, or ``write`` of bytes that no other call leaves.
        blocks: what it touches.
        stream: where it is made; calls of one stream run in turn.
        after: indices of earlier calls that its stream waits for.
    """

    op: Literal["zero", "write"]
    blocks: frozenset[int]
    stream: int = 0
    after: tuple[int, ...] = ()


class Clash(NamedTuple):
    """Two calls that are not ordered and leave different bytes in a block."""

    first: int
    second: int
    block: int


def before(steps: Sequence[Step]) -> list[frozenset[int]]:
    """For each call the calls that have ended when it begins, whatever the device does."""
    ended: list[frozenset[int]] = []
    last: dict[int, int] = {}
    for index, step in enumerate(steps):
        waits = {*step.after, *({last[step.stream]} if step.stream in last else ())}
        ended.append(frozenset(waits).union(*(ended[earlier] for earlier in waits)))
        last[step.stream] = index
    return ended


def unordered(steps: Sequence[Step]) -> list[tuple[int, int]]:
    """The pairs of calls that may run in either order, or at once; the earlier made first."""
    ended = before(steps)
    return [(first, second) for first, second in combinations(range(len(steps)), 2) if first not in ended[second]]


def clash(steps: Sequence[Step]) -> Clash | None:
    """The first pair of calls that leaves a block undefined; None if every block is defined.

    It counts as undefined even where a later call covers it: two writers at once are a fault by
    themselves.
    """
    for first, second in unordered(steps):
        common = steps[first].blocks & steps[second].blocks
        if common and "write" in (steps[first].op, steps[second].op):
            return Clash(first, second, min(common))
    return None


def owners(steps: Sequence[Step]) -> dict[int, int]:
    """The call whose effect must stand in each block that any call touches.

    Of several calls that clear a block last and in no order, the one that was made last.

    Raises:
        ValueError: if a block is undefined.
    """
    undefined = clash(steps)
    if undefined:
        raise ValueError(f"calls {undefined.first} and {undefined.second} are not ordered in block {undefined.block}")
    return {block: index for index, step in enumerate(steps) for block in step.blocks}
