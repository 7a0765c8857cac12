"""Two engines on the same cases: where they differ, the run hears of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fuzz import messages
from fuzz.case import Call, Case, Segment
from fuzz.cross_check import CrossCheck, agree
from fuzz.ids import Ids
from fuzz.verdict import Verdict, Wrong

CASE = Case(
    schema=1, domain="contract", guard=64, segments=(Segment(0, 1, 4, 4),), calls=(Call("zero", Ids.parse("0")),)
)
PASSED = Verdict("passed")
PADDED = Verdict("finding", "clobbered", "padding", regions=(Wrong(4, 8, "clobbered", "padding"),), wrong_bytes=4)
LESS = Verdict("finding", "clobbered", "padding", regions=(Wrong(4, 7, "clobbered", "padding"),), wrong_bytes=3)
STRAY = Verdict("finding", "faulted", "memory")
REQUEST = messages.Batch(7, ("small",), 4, 0, 100, 1.0)


class FakeCrew:
    """A second engine with a verdict for each attempt, a few attempts a batch."""

    def __init__(self, engine: str, verdicts: list[Verdict]) -> None:
        self._engine = engine
        self._verdicts = verdicts
        self.asked: list[messages.Batch] = []

    def open(self) -> messages.Opened:
        return messages.Opened(self._engine, "CPU", "h200", {"t": 4})

    def batch(self, request: messages.Batch, on_found: Callable[[messages.Found], None]) -> messages.BatchDone:
        self.asked.append(request)
        stop = min(request.first + 2, request.stop)
        for attempt in range(request.first, stop):
            on_found(messages.Found(attempt, "t", "small", CASE, self._verdicts[attempt]))
        return messages.BatchDone(stop, {})


def _checked(
    mine: list[Verdict], others: list[Verdict], engine: str = "interpreter"
) -> tuple[str, CrossCheck, FakeCrew]:
    crew = FakeCrew(engine, others)
    check = CrossCheck(crew, 1)  # type: ignore[arg-type]
    for attempt, verdict in enumerate(mine):
        check.note(messages.Found(attempt, "t", "small", CASE, verdict))
    first = "simulator" if engine == "interpreter" else engine
    return check.disagreement(REQUEST, len(mine), first), check, crew


def test_the_same_verdicts_agree() -> None:
    """All are compared, in as many batches as it takes, with the cases that were told and no others."""
    words, check, crew = _checked([PASSED, PADDED, PASSED], [PASSED, PADDED, PASSED])
    assert (words, check.compared) == ("", 3)
    assert [(asked.first, asked.stop, asked.only_told, asked.tell) for asked in crew.asked] == [
        (0, 3, True, 1),
        (2, 3, True, 1),
    ]


@pytest.mark.parametrize(("one", "other"), [(PASSED, PADDED), (PADDED, PASSED), (PADDED, LESS), (PASSED, STRAY)])
def test_a_difference_is_named(one: Verdict, other: Verdict) -> None:
    """The attempt, the seed, and what each engine says; one wrong byte more is a difference."""
    words, _, _ = _checked([PASSED, one], [PASSED, other])
    assert words == (
        "engines disagree on attempt 1 (seed 7, profile small, target t): "
        f"simulator says {one.label()}, interpreter {other.label()}"
    )


def test_what_one_engine_cannot_hold_is_not_compared() -> None:
    """Unproved, declined and infra say nothing."""
    words, check, _ = _checked([PASSED, Verdict("unproved")], [Verdict("unproved"), PASSED])
    assert (words, check.compared) == ("", 0)


def test_only_the_simulator_may_be_stricter() -> None:
    """Its fault on a stray store agrees with anything; a GPU's fault does not."""
    assert agree(STRAY, PASSED)
    assert not agree(PASSED, STRAY)


def test_what_an_interpreter_cannot_see_is_no_disagreement() -> None:
    """It compiles nothing, so it has no say on a variant; a GPU has."""
    recompiled = Verdict("finding", "recompiled", "n_blocks")
    words, check, _ = _checked([recompiled], [PASSED])
    assert (words, check.compared) == ("", 0)
    assert "recompiled:n_blocks" in _checked([recompiled], [PASSED], "cuda")[0]
