"""What all profiles draw alike: the granule, the lists of ids, the guard, whether blocks are told."""

from __future__ import annotations

from functools import cache

from msgspec.structs import replace

from fuzz.case import SCHEMA, Call, Case, Segment
from fuzz.ids import Ids, Run
from fuzz.source import Source, Trace, Untraceable

GRANULES = (4, 2, 1)
"""Bytes that sizes are multiples of; the coarsest first, so that cases shrink towards it."""

GUARD_STEP = 256
CALLS = 3
MORE_CALLS = 2
MOST_RUNS = 8
MORE_RUNS = 2
FIRST_RUN = 15
HIDDEN = 7
"""One table in eight does not tell its number of blocks, as for a caller that does not know it."""


def granule(source: Source, unit: int) -> int:
    """The bytes that this case's sizes are multiples of."""
    allowed = _granules(unit)
    return allowed[source.integer(0, len(allowed) - 1)]


def trace_granule(to: Trace, case: Case, unit: int) -> int:
    """The coarsest granule that all sizes of the case keep."""
    allowed = _granules(unit)
    for index, size in enumerate(allowed):
        if case.keeps(size):
            to.integer(0, len(allowed) - 1, index)
            return size
    raise Untraceable(f"a size is no multiple of {unit}")


@cache
def _granules(unit: int) -> tuple[int, ...]:
    return tuple(size for size in GRANULES if size >= unit) or (unit,)


def ids(source: Source, blocks: int) -> Ids:
    """Up to eight ranges of ids, in any direction; one list in sixteen is empty."""
    runs: list[Run] = []
    while len(runs) < MOST_RUNS and source.integer(0, MORE_RUNS if runs else FIRST_RUN) > (1 if runs else 0):
        first = source.integer(0, blocks - 1)
        runs.append(Run(first, source.integer(0, blocks - 1)))
    return Ids(tuple(runs))


def trace_ids(to: Trace, found: Ids, blocks: int) -> None:
    """The choices behind :func:`ids`; a repeat counts as that many single ids."""
    runs = [run for run in found.runs for _ in range(run.times)]
    for index, run in enumerate(runs):
        to.integer(0, MORE_RUNS if index else FIRST_RUN, MORE_RUNS if index else 1)
        to.integer(0, blocks - 1, run.first)
        to.integer(0, blocks - 1, run.last)
    if len(runs) < MOST_RUNS:
        to.integer(0, MORE_RUNS if runs else FIRST_RUN, 0)
    elif len(runs) > MOST_RUNS:
        raise Untraceable(f"{len(runs)} runs of ids; this profile draws at most {MOST_RUNS}")


def calls(source: Source, blocks: int) -> list[Call]:
    """One call, now and then up to three."""
    drawn = [Call("zero", ids(source, blocks))]
    while len(drawn) < CALLS and source.integer(0, MORE_CALLS) == MORE_CALLS:
        drawn.append(Call("zero", ids(source, blocks)))
    return drawn


def trace_calls(to: Trace, found: tuple[Call, ...], blocks: int) -> None:
    """The choices behind :func:`calls`."""
    for index, call in enumerate(found):
        if index:
            to.integer(0, MORE_CALLS, MORE_CALLS)
        trace_ids(to, call.ids, blocks)
    if len(found) < CALLS:
        to.integer(0, MORE_CALLS, 0)
    elif len(found) > CALLS:
        raise Untraceable(f"{len(found)} calls; this profile draws at most {CALLS}")


def assemble(source: Source, segments: list[Segment], calls: list[Call]) -> Case:
    """A contract case of these parts, its guard as wide as the widest page or stride inside."""
    case = Case(
        schema=SCHEMA,
        domain="contract",
        guard=0,
        segments=tuple(segments),
        calls=tuple(calls),
        blocks_known=source.integer(0, HIDDEN) < HIDDEN,
    )
    return guarded(case)


def trace_rest(to: Trace, case: Case) -> list[int]:
    """The last choice of :func:`assemble`, and with it the whole trace."""
    if case.guard != guarded(case).guard:
        raise Untraceable(f"guard={case.guard} is not the one drawn for this layout")
    to.integer(0, HIDDEN, 0 if case.blocks_known else HIDDEN)
    return to.choices


def guarded(case: Case) -> Case:
    """The case with guard zones just wide enough for a stray page or stride."""
    guard = -(-case.widest() // GUARD_STEP) * GUARD_STEP
    if guard == case.guard:
        return case
    return replace(case, guard=guard)
