"""Which of two cases is simpler: what a shrinker descends, and what decides which find of a bucket is kept."""

from __future__ import annotations

from fuzz.case import Case, Segment


def order(case: Case) -> tuple[object, ...]:
    """The size of a case: smaller tuples are simpler cases.

    Counted in turn: segments, calls, ids, blocks, sum of pages, strides, bases; then what is left to
    make two cases of one size compare the same way every time, segments by address last. A sequence is
    larger than any case by itself: the number of its cases counts first, then each of them in turn.
    """
    if case.sequence:
        return len(case.sequence), [order(member) for member in case.sequence]
    runs = [run for call in case.calls for run in call.ids.runs]
    count, blocks, pages, strides, bases, rest = _of_layers(case) if case.layers else _of_segments(case.segments)
    return (
        0,
        count,
        len(case.calls),
        sum(len(call.raw) if call.raw is not None else len(call.ids) for call in case.calls),
        blocks,
        pages,
        strides,
        bases,
        sum(abs(run.first) + abs(run.last) for run in runs),
        sum(run.first > run.last for run in runs),
        len(runs),
        sum(call.graph for call in case.calls),
        sum(call.op != "zero" for call in case.calls),
        sum(len(call.after) for call in case.calls),
        sum(call.stream for call in case.calls),
        not case.blocks_known,
        case.cold,
        case.guard,
        rest,
    )


def _of_segments(kinds: tuple[Segment, ...]) -> tuple[object, ...]:
    return (
        sum(segment.times for segment in kinds),
        sum(segment.blocks * segment.times for segment in kinds),
        sum(segment.page * segment.times for segment in kinds),
        sum(segment.stride * segment.times for segment in kinds),
        sum(abs(segment.base) * segment.times for segment in kinds),
        [segment.base for segment in kinds],
    )


def _of_layers(case: Case) -> tuple[object, ...]:
    """The same of layers: an unusual one is larger than a plain one, and so is a padded pool."""
    return (
        len(case.layers) + len(case.pools),
        sum(case.num_blocks * one.ratio for one in case.layers),
        sum(one.ratio * one.heads * one.row for one in case.layers),
        sum(one.tiles[0][1] for one in case.placed.places),
        sum(pool.gap for pool in case.pools),
        [(*one.rank(), one.pool) for one in case.layers] + [pool.rank() for pool in case.pools],
    )
