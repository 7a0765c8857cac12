"""Whether time ended a shrink: what a machine's pace decides is told apart from what is the same everywhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fuzz.case import Call, Case, Segment
from fuzz.ids import Ids
from fuzz.profiles.parts import guarded
from fuzz.shrink import Shrunk, shrink
from fuzz.shrink.trial import DEADLY_RUNS, OutOfBudget
from fuzz.verdict import Verdict

TAIL = Verdict("finding", "stale", "tail")
LAUNCH = Verdict("finding", "rejected", "launch-y")


def _case(page: int, segments: int = 12) -> Case:
    one = Segment(0, 1, page, page)
    laid = tuple(Segment(number * page, 1, page, page) for number in range(segments - 1))
    return guarded(Case(domain="contract", guard=0, segments=(one, *laid), calls=(Call("zero", Ids.of([0])),)))


def _shrunk(case: Case, attempt: Callable[..., Verdict], seconds: float, shown: Verdict = TAIL, **more: bool) -> Shrunk:
    return shrink(
        case, shown.bucket("t", "h200"), attempt, profile="small", unit=4, seconds=seconds,
        on_other=lambda *_: None, **more,
    )  # fmt: skip


def _wide(shown: Verdict) -> Callable[..., Verdict]:
    def attempt(case: Case, **_: bool) -> Verdict:
        members = case.sequence or (case,)
        return shown if any(s.page >= 64 for one in members for s in one.segments) else Verdict("passed")

    return attempt


SEQUENCE = Case(domain="contract", guard=0, segments=(), calls=(), sequence=(_case(64), _case(128)))


@pytest.mark.parametrize(
    ("case", "shown", "deadly"),
    [(_case(128), TAIL, False), (_case(128), TAIL, True), (_case(128), LAUNCH, False), (SEQUENCE, TAIL, False)],
)
def test_a_shrink_that_time_ended_says_so(case: Case, shown: Verdict, *, deadly: bool) -> None:
    """On each of its ways, and whether its own time is over or whoever runs its cases gives up."""
    late = _shrunk(case, _wide(shown), 0.0, shown, deadly=deadly)
    assert (late.finished, late.late) == (False, True)
    runs = iter(range(2))

    def given_up(smaller: Case, **more: bool) -> Verdict:
        if next(runs, None) is None:
            raise OutOfBudget
        return _wide(shown)(smaller, **more)

    assert _shrunk(case, given_up, 60.0, shown, deadly=deadly).late


def test_a_shrink_that_came_to_its_end_is_not_late() -> None:
    """Of plain finds, launches and sequences."""
    for case, shown in ((_case(128), TAIL), (_case(128), LAUNCH), (SEQUENCE, TAIL)):
        shrunk = _shrunk(case, _wide(shown), 60.0, shown)
        assert (shrunk.finished, shrunk.late) == (True, False)


def test_a_shrink_that_ended_short_of_the_smallest_is_not_late() -> None:
    """A deadly find's eight runs are eight on each machine, and no profile draws some cases on any."""
    asked = []

    def deadly(case: Case, **_: bool) -> Verdict:
        asked.append(case)
        return TAIL if len(case.segments) > 11 else Verdict("passed")

    shrunk = _shrunk(_case(128), deadly, 60.0, deadly=True)
    assert (len(asked), shrunk.finished, shrunk.late) == (DEADLY_RUNS, False, False)
    strange = Case(domain="contract", guard=3, segments=(Segment(1, 1, 64, 64),), calls=(Call("zero", Ids.of([0])),))
    shrunk = _shrunk(strange, lambda case, **_: TAIL if case.segments[0].base == 1 else Verdict("passed"), 60.0)
    assert (shrunk.finished, shrunk.late) == (False, False)


def test_a_launch_that_only_a_rehearsal_shows_is_not_late() -> None:
    """It is left as it was found, however much time there is."""
    shrunk = _shrunk(_case(128), lambda case, rehearse=False: LAUNCH if rehearse else Verdict("passed"), 60.0, LAUNCH)
    assert (shrunk.case, shrunk.finished, shrunk.late) == (_case(128), False, False)
