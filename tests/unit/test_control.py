"""Budgets: one place, one reason."""

from __future__ import annotations

import os
import signal

from fuzz.control import Control


def test_each_budget_has_its_word() -> None:
    """Find, cases and time each end a run under their own name, and nothing else does."""
    assert Control(60.0, None, stop_on_find=False).stop_reason(10**9, 5) is None
    assert Control(60.0, None, stop_on_find=True).stop_reason(1, 1) == "find"
    assert Control(60.0, 100, stop_on_find=False).stop_reason(100, 0) == "cases"
    assert Control(0.0, None, stop_on_find=False).stop_reason(0, 0) == "time"


def test_a_signal_ends_the_run_in_order() -> None:
    """SIGTERM is noted, not raised, and the old handlers come back."""
    before = signal.getsignal(signal.SIGTERM)
    control = Control(None, None, stop_on_find=False)
    with control.signals():
        os.kill(os.getpid(), signal.SIGTERM)
        assert control.interrupted
        assert control.stop_reason(0, 0) == "signal SIGTERM"
    assert signal.getsignal(signal.SIGTERM) == before


def test_shrinking_never_outlasts_the_run() -> None:
    """A find is shrunk for 15 s where a run stops at it, for 300 s elsewhere, and never past the end."""
    assert Control(None, None, stop_on_find=False).shrink_seconds() == 300.0
    assert Control(None, None, stop_on_find=True).shrink_seconds() == 15.0
    assert Control(5.0, None, stop_on_find=False).shrink_seconds() <= 5.0


def test_a_resumed_run_has_the_rest_of_its_time() -> None:
    """Seconds that earlier parts used are gone, for the budget and for rates."""
    control = Control(60.0, None, stop_on_find=False, used=50.0)
    assert 50.0 <= control.elapsed < 55.0
    assert 5.0 < control.left <= 10.0
    assert Control(60.0, None, stop_on_find=False, used=61.0).stop_reason(0, 0) == "time"


def test_what_was_begun_has_a_grace() -> None:
    """Right after a signal a batch may end; five seconds later it may not."""
    control = Control(None, None, stop_on_find=False)
    assert not control.out_of_grace
    with control.signals():
        os.kill(os.getpid(), signal.SIGTERM)
        assert not control.out_of_grace
        control._signalled -= 5.1
        assert control.out_of_grace


def test_a_case_does_not_hold_up_a_run_whose_time_is_over() -> None:
    """A hang that is met at the very end is still seen and shown twice; what takes longer is not waited for."""
    assert not Control(60.0, None, stop_on_find=False, used=89.0).out_of_grace
    assert Control(60.0, None, stop_on_find=False, used=90.1).out_of_grace
    assert not Control(None, None, stop_on_find=False, used=1e6).out_of_grace
