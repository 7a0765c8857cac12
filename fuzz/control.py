"""When a run stops, and why: the one place that owns budgets and signals."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

SHRINK_SECONDS = 300.0
"""Longest that one find is shrunk."""

SHRINK_SECONDS_ON_FIND = 15.0
"""The same where a run stops at its first find."""

GRACE = 5.0
"""Seconds after a signal in which workers may end their batch; a run must be over after ten."""

LATE = 30.0
"""Seconds after the end of its time in which they may: a hang takes ten, and is shown twice more."""


class Control:
    """Budgets of a run.

    Args:
        seconds: time for the whole run, shrinking included; None for no limit.
        attempts: most attempts, or None.
        stop_on_find: whether the first find ends the search.
        used: seconds of it that earlier parts of the run used.
    """

    def __init__(self, seconds: float | None, attempts: int | None, *, stop_on_find: bool, used: float = 0.0) -> None:
        self._begun = time.monotonic() - used
        self._seconds = seconds
        self.attempts = attempts
        self._stop_on_find = stop_on_find
        self._signal: str | None = None
        self._signalled = 0.0
        self._enough = "cases"

    def end_at(self, attempts: int) -> None:
        """Take it that there are no more attempts than so many; a run that gets there is ``exhausted``."""
        if self.attempts is None or attempts <= self.attempts:
            self.attempts, self._enough = attempts, "exhausted"

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self._begun

    @property
    def left(self) -> float | None:
        """Seconds left, or None without a limit."""
        return None if self._seconds is None else max(self._seconds - self.elapsed, 0.0)

    @property
    def interrupted(self) -> bool:
        """Whether a signal asked the run to end."""
        return self._signal is not None

    @property
    def out_of_grace(self) -> bool:
        """Whether a signal or the end of the time came, and the time for what was begun is over as well."""
        if self._signal:
            return time.monotonic() - self._signalled > GRACE
        return self._seconds is not None and self.elapsed - self._seconds > LATE

    def stop_reason(self, attempted: int, finds: int) -> str | None:
        """Why the run must stop now: ``signal NAME``, ``find``, ``cases``, ``exhausted`` or ``time``; else None."""
        if self._signal:
            return f"signal {self._signal}"
        if self._stop_on_find and finds:
            return "find"
        if self.attempts is not None and attempted >= self.attempts:
            return self._enough
        if self.left == 0.0:
            return "time"
        return None

    def shrink_seconds(self) -> float:
        """Time for one find's shrinking."""
        cap = SHRINK_SECONDS_ON_FIND if self._stop_on_find else SHRINK_SECONDS
        return cap if self.left is None else min(cap, self.left)

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Let SIGINT and SIGTERM end the run in order; a second one acts at once."""

        def note(number: int, _frame: object) -> None:
            self._signalled = time.monotonic()
            self._signal = signal.Signals(number).name
            signal.signal(number, before[signal.Signals(number)])

        before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
