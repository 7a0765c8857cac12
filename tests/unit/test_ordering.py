"""The oracle of order, against every legal interleaving of small cases."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from oracles import ordering
from oracles.ordering import Clash, Step

BLOCKS = 3


def _interleavings(steps: list[Step], done: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Every order in which calls may run one by one: nothing is known here but streams and waits."""
    if len(done) == len(steps):
        yield done
    for index, step in enumerate(steps):
        earlier = [k for k in range(index) if steps[k].stream == step.stream]
        if index not in done and all(k in done for k in (*earlier, *step.after)):
            yield from _interleavings(steps, (*done, index))


def _left(steps: list[Step], sequence: tuple[int, ...]) -> dict[int, object]:
    """What each block holds after one interleaving: zero, or the number of the call that wrote it."""
    return {block: "zero" if steps[k].op == "zero" else k for k in sequence for block in steps[k].blocks}


def _drawn(random: Random) -> list[Step]:
    return [
        Step(
            random.choice(["zero", "zero", "write"]),
            frozenset(random.sample(range(BLOCKS), random.randint(0, 2))),
            random.randint(0, 2),
            tuple(k for k in range(index) if random.random() < 0.35),
        )
        for index in range(random.randint(1, 5))
    ]


DRAWN = [_drawn(Random(seed)) for seed in range(1500)]  # noqa: S311 - the same cases every time


def test_before_is_what_every_interleaving_agrees_on() -> None:
    """A call has ended before another begins if it comes first in every legal order, and only then."""
    for steps in DRAWN[:400]:
        orders = list(_interleavings(steps))
        ended = ordering.before(steps)
        for second in range(len(steps)):
            always = {k for k in range(len(steps)) if all(o.index(k) < o.index(second) for o in orders)}
            assert ended[second] == always


def test_the_owner_is_who_wrote_last_in_every_interleaving() -> None:
    """Where no two calls clash, all legal orders leave the same, and the oracle names it."""
    defined = [steps for steps in DRAWN if ordering.clash(steps) is None]
    assert len(defined) > 300
    for steps in defined:
        owners = ordering.owners(steps)
        named = {block: "zero" if steps[k].op == "zero" else k for block, k in owners.items()}
        assert all(_left(steps, order) == named for order in _interleavings(steps))


def test_a_clash_is_two_calls_that_may_swap() -> None:
    """Both orders of the two are legal, and what the two leave in the block differs."""
    clashing = [(steps, found) for steps in DRAWN if (found := ordering.clash(steps))]
    assert len(clashing) > 200
    for steps, (first, second, block) in clashing:
        orders = {order.index(first) < order.index(second) for order in _interleavings(steps)}
        assert orders == {True, False}
        assert block in steps[first].blocks & steps[second].blocks
        assert len({_left(steps, (k,))[block] for k in (first, second)}) == 2


def test_undefined_cases_are_refused() -> None:
    """A write and a clearing on two streams that nobody orders have no owner."""
    steps = [Step("zero", frozenset({1})), Step("write", frozenset({0, 1}), 1)]
    assert ordering.clash(steps) == Clash(0, 1, 1)
    with pytest.raises(ValueError, match="calls 0 and 1 are not ordered in block 1"):
        ordering.owners(steps)
    assert ordering.owners([steps[0], steps[1]._replace(after=(0,))]) == {0: 1, 1: 1}


def test_two_clearings_may_swap() -> None:
    """They leave the same, so a block that both clear is defined without an order."""
    steps = [Step("zero", frozenset({1})), Step("zero", frozenset({1}), 1)]
    assert ordering.unordered(steps) == [(0, 1)]
    assert ordering.owners(steps) == {1: 1}
