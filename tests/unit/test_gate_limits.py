"""A target must take what its base takes, and say as much of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz import messages
from fuzz.case import Case
from fuzz.errors import WorkerError
from fuzz.gate.checks.limits import NO_WARMUP, LimitsCheck, narrower
from fuzz.gate.checks.seeded_search import SeededSearch
from fuzz.verdict import Verdict
from kvzero.segments import Limits
from tests.gates import PASSED, FakeWorker, grounded, one_page, reported

AS_WIDE = "as wide as the base's"


def test_narrower_limits_are_refused(tmp_path: Path) -> None:
    """Each field by itself; wider ones are none of the gate's business."""
    assert narrower(Limits(unit=1), Limits(segments=4)) == []
    assert narrower(Limits(segments=4), Limits(segments=5)) == ["segments=4, the base's is 5"]
    fields = [Limits(unit=8), Limits(segments=4), Limits(ids=4), Limits(page=4), Limits(uniform=True)]
    assert all(narrower(new, Limits()) and not narrower(Limits(), new) for new in fields)
    ground, _ = grounded(tmp_path, lambda case: PASSED, lambda case: PASSED, limits=Limits(ids=7))
    report = reported(ground, LimitsCheck(), SeededSearch())
    assert report.line == "gate: no, limits are narrower than the base's: ids=7, the base's is None"


@pytest.mark.parametrize(
    ("new", "base", "words"),
    [
        ((), ("virtual", "capturable"), "capturable=False, the base's is True"),
        (("newer_form",), (), "newer_form=True, the base's is False"),
        (("virtual", "capturable"), ("newer_form",), ""),
        (("virtual",), ("virtual",), ""),
    ],
)
def test_a_target_that_says_less_than_its_base_is_refused(
    tmp_path: Path, new: tuple[str, ...], base: tuple[str, ...], words: str
) -> None:
    """What it leaves unsaid has cases declined that the base takes; saying more is nobody's business."""
    ground, _ = grounded(tmp_path, lambda case: PASSED, FakeWorker("old", lambda case: PASSED, says=base))
    ground.opened = FakeWorker("new", lambda case: PASSED, says=new).opened
    check = reported(ground, LimitsCheck()).checks[0]
    assert check.state == ("failed" if words else "passed")
    assert not words or check.words == f"limits are narrower than the base's: {words}"


def test_a_target_that_is_no_longer_virtual_is_told_of(tmp_path: Path) -> None:
    """Nothing is declined for it, and on a GPU nothing is lost."""
    ground, _ = grounded(tmp_path, lambda case: PASSED, FakeWorker("old", lambda case: PASSED, says=("virtual",)))
    check = reported(ground, LimitsCheck()).checks[0]
    assert (check.state, check.words.startswith(f"{AS_WIDE}; it does not say virtual")) == ("passed", True)


def test_a_target_that_drops_its_base_s_warm_up_is_refused(tmp_path: Path) -> None:
    """Without it no variant that a call compiles is a find; the simplest file that both take tells."""
    takes = lambda case: Verdict("declined") if case.segments[0].page < 8 else PASSED  # noqa: E731
    files = (one_page(64), one_page(4), one_page(16))
    for ours, theirs, state in ((False, True, "failed"), (True, False, "passed"), (True, True, "passed")):
        ground, _ = grounded(tmp_path, takes, FakeWorker("old", takes, warmup=theirs), files=files)
        ground.hands.warmup = ours
        check = reported(ground, LimitsCheck()).checks[0]
        assert check.state == state
        assert check.words == (NO_WARMUP if state == "failed" else AS_WIDE)


def test_warm_ups_that_nobody_tells_of_are_said_to_be_open(tmp_path: Path) -> None:
    """No file that both take, a constructor that raises, workers that die: the limits alone are compared."""
    raises = lambda case: Verdict("finding", "rejected", "constructor")  # noqa: E731
    open_words = f"{AS_WIDE}; whether both have a warm-up was not found out"
    for files in ((), (one_page(64),)):
        ground, _ = grounded(tmp_path, lambda case: Verdict("declined"), lambda case: PASSED, files=files)
        assert reported(ground, LimitsCheck()).checks[0].words == open_words
    ground, _ = grounded(tmp_path, raises, lambda case: PASSED, files=(one_page(64),))
    ground.hands.warmup = None
    assert reported(ground, LimitsCheck()).checks[0].words == open_words
    ground, _ = grounded(tmp_path, raises, lambda case: PASSED, files=(one_page(64),))

    def dying(case: Case, target: str) -> messages.Tried:
        raise WorkerError("workers keep dying")

    ground.hands.rehearsed = dying
    check = reported(ground, LimitsCheck()).checks[0]
    assert (check.state, check.words) == ("passed", open_words)
