"""Step one: delete segments, calls, ids and repeats, by halves and then singly; halve what is wide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from fuzz.case import Call, Case, Segment
from fuzz.ids import Ids, Run
from fuzz.profiles.parts import guarded
from fuzz.shrink.layers import fewer_blocks, fewer_layers, plainer_layers, plainer_pools
from fuzz.shrink.layout import closed, stacked
from fuzz.shrink.ordering import kept as kept_calls
from fuzz.shrink.ordering import looser
from fuzz.shrink.shapes import smaller_shapes
from fuzz.shrink.trial import Trial

T = TypeVar("T")

FEW = 16
"""Lists of ids up to this long are tried without each single id."""


def delete(trial: Trial) -> None:
    """Delete until nothing more can go; the result is the trial's best.

    Raises:
        OutOfBudget: when the trial's time or runs are used up.
    """
    moved = True
    while moved:
        before = trial.best
        for candidates in steps(before):
            descend(trial, candidates)
        moved = trial.best != before


def steps(case: Case) -> tuple[Callable[[Case], Iterator[Case]], ...]:
    """What makes smaller candidates of a case, in the order in which it is tried."""
    return _OF_LAYERS if case.layers else _OF_SEGMENTS


def descend(trial: Trial, candidates: Callable[[Case], Iterator[Case]]) -> None:
    """Take candidates of the best case as long as one of them improves it."""
    while any(trial.improves(candidate) for candidate in candidates(trial.best)):
        pass


def _fewer_segments(case: Case) -> Iterator[Case]:
    for kept in shorter(case.segments, _fewer_times):
        fewer = replace(case, segments=kept)
        if fewer.segments:
            yield closed(fewer)
            yield guarded(fewer)


def _fewer_calls(case: Case) -> Iterator[Case]:
    for kept in shorter(range(len(case.calls)), whole):
        if kept:
            yield replace(case, calls=kept_calls(case.calls, kept))


def _fewer_ids(case: Case) -> Iterator[Case]:
    for index, call in enumerate(case.calls):
        for ids in _shorter_ids(call):
            yield replace(case, calls=(*case.calls[:index], ids, *case.calls[index + 1 :]))


def _fewer_blocks(case: Case) -> Iterator[Case]:
    """Without the blocks below the lowest id, and without those above the highest, or all but one."""
    ids = [call.ids for call in case.calls if call.ids]
    if not ids or case.domain == "hostile":
        return
    low, high = min(one.low for one in ids), max(one.high for one in ids)
    lowered = tuple(
        replace(call, ids=Ids(tuple(Run(r.first - low, r.last - low, r.times) for r in call.ids.runs)))
        for call in case.calls
    )
    for spare in (0, 1, 2):
        blocks = high - low + 1 + spare
        for kept in (
            tuple(replace(s, base=s.base + low * s.stride, blocks=min(s.blocks, blocks)) for s in case.segments),
            tuple(replace(s, base=max(s.base, 0), blocks=min(s.blocks, blocks)) for s in case.segments),
        ):
            yield closed(replace(case, segments=kept, calls=lowered))
            yield guarded(replace(case, segments=kept, calls=lowered))
    for index, segment in enumerate(case.segments):
        for blocks in (high + 1, high + 2):
            if blocks < segment.blocks:
                fewer = replace(segment, blocks=blocks)
                yield guarded(replace(case, segments=(*case.segments[:index], fewer, *case.segments[index + 1 :])))


def _plainer_ids(case: Case) -> Iterator[Case]:
    """As many ids, but all of them 0, in one block at best; or the same ids, ascending."""
    zeros = tuple(
        call if call.raw is not None or not call.ids else replace(call, ids=Ids((Run(0, 0, len(call.ids)),)))
        for call in case.calls
    )
    single = tuple(replace(s, blocks=1) for s in case.segments)
    yield guarded(replace(case, segments=single, calls=zeros))
    yield guarded(replace(case, calls=zeros))
    yield replace(
        case,
        calls=tuple(
            replace(call, ids=Ids(tuple(Run(min(r[:2]), max(r[:2]), r.times) for r in call.ids.runs)))
            for call in case.calls
        ),
    )


def _shorter_ids(call: Call) -> Iterator[Call]:
    if call.raw is not None:
        for kept in shorter(call.raw, whole):
            yield replace(call, raw=kept)
        return
    for kept in shorter(call.ids.runs, _fewer_of_run):
        yield replace(call, ids=Ids(kept))
    if 1 < len(call.ids) <= FEW and any(len(run) > 1 for run in call.ids.runs):
        values = call.ids.tolist()
        for index in range(len(values)):
            yield replace(call, ids=Ids.of(values[:index] + values[index + 1 :]))


def shorter(items: Sequence[T], parts: Callable[[T], Iterator[T]]) -> Iterator[tuple[T, ...]]:
    """The list without ever smaller stretches of it, then with single items made smaller."""
    size = len(items)
    while size:
        for start in range(0, len(items), size):
            yield (*items[:start], *items[start + size :])
        size //= 2
    for index, item in enumerate(items):
        for smaller in parts(item):
            yield (*items[:index], smaller, *items[index + 1 :])


def whole(_: object) -> Iterator[Any]:
    """Items that have no smaller parts."""
    return iter(())


def _fewer_times(segment: Segment) -> Iterator[Segment]:
    for times in _less(segment.times):
        yield replace(segment, times=times)


def _fewer_of_run(run: Run) -> Iterator[Run]:
    if run.times > 1:
        for times in _less(run.times):
            yield Run(run.first, run.last, times)
    elif run.first != run.last:
        middle = (run.first + run.last) // 2
        step = 1 if run.last > run.first else -1
        yield Run(run.first, run.first)
        yield Run(run.last, run.last)
        yield Run(run.first, middle)
        yield Run(middle + step if step > 0 else middle, run.last)
        yield Run(run.first, run.last - step)
        yield Run(run.first + step, run.last)


def _tidier(case: Case) -> Iterator[Case]:
    """The same segments closer together, side by side, or listed by address, as the profiles draw them."""
    yield closed(case)
    yield stacked(case)
    yield guarded(case)
    yield replace(case, blocks_known=True)
    yield replace(case, cold=False)
    yield replace(case, segments=tuple(sorted(case.segments, key=lambda segment: segment.base)))


def _less(count: int) -> Iterator[int]:
    """1, a half, three quarters; of a small count one less."""
    tried = (1, count // 2, count * 3 // 4, count - 1 if count <= FEW else 1)
    yield from dict.fromkeys(less for less in tried if 1 <= less < count)


_OF_SEGMENTS = (
    _fewer_segments, _fewer_calls, _fewer_ids, looser, _fewer_blocks, _plainer_ids, smaller_shapes, _tidier,
)  # fmt: skip
_OF_LAYERS = (fewer_layers, _fewer_calls, _fewer_ids, fewer_blocks, plainer_layers, plainer_pools)
