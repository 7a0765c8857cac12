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
