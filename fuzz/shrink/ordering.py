"""Calls in flight together: what is left of their order without some of them, and less order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from fuzz.case import Call, Case
from fuzz.overlap_rules import steps
from oracles import ordering


def kept(calls: tuple[Call, ...], indices: Sequence[int]) -> tuple[Call, ...]:
    """The calls at these ascending indices, those that were ordered in the same order as before.

    A call that waited for one that is gone waits for what that one had waited for.
    """
    if not any(call.overlaps for call in calls):
        return tuple(calls[index] for index in indices)
    ended = ordering.before(steps(calls))
    left: list[Call] = []
    for index in indices:
        earlier = {place for place, other in enumerate(indices[: len(left)]) if other in ended[index]}
        alike = [place for place in earlier if calls[indices[place]].stream == calls[index].stream]
        implied = ordering.before(steps([*left, replace(calls[index], after=())]))[-1] if alike else frozenset()
        missing = earlier - implied
        covered = frozenset[int]().union(*(ordering.before(steps(left))[place] for place in missing))
        left.append(replace(calls[index], after=tuple(sorted(missing - covered))))
    return tuple(left)


def looser(case: Case) -> Iterator[Case]:
    """The case with one call less captured, one wait less, or on lower streams.

    Those that leave a block undefined are no legal cases, and are not run.
    """
    if not case.overlaps:
        return
    used = sorted({call.stream for call in case.calls})
    for lowest in (0, 1):
        lower = {stream: min(stream, place + lowest) for place, stream in enumerate(used)}
        yield replace(case, calls=tuple(replace(call, stream=lower[call.stream]) for call in case.calls))
    for index, call in enumerate(case.calls):
        plainer = [replace(call, graph=False)] if call.graph else []
        plainer += [replace(call, after=tuple(k for k in call.after if k != gone)) for gone in call.after]
        plainer += [replace(call, stream=stream) for stream in range(call.stream)]
        for one in plainer:
            yield replace(case, calls=(*case.calls[:index], one, *case.calls[index + 1 :]))
