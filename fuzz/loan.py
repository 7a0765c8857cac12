"""A lane's crew, lent out between two batches while no standby is warm yet."""

from __future__ import annotations

import threading
from collections.abc import Callable

from fuzz.waiting import BEAT


class Loan:
    """One crew that either its lane or the borrower uses.

    The first find of a run often comes before the first standby has imported torch; a short run could
    not shrink it in time.
    """

    def __init__(self) -> None:
        self._turn = threading.Condition()
        self._wanted = False
        self._lent = False

    def lend(self, over: Callable[[], bool]) -> None:
        """The lane's side: wait until the crew is back, or the run is over and the lane needs it no more."""
        with self._turn:
            while self._wanted and not over():
                self._lent = True
                self._turn.notify_all()
                self._turn.wait(BEAT)
            self._lent = False

    def borrow(self, seconds: float) -> bool:
        """Ask for the crew; whether it is there within so long."""
        with self._turn:
            self._wanted = True
            if not self._lent:
                self._turn.wait(seconds)
            return self._lent

    def give_back(self) -> None:
        """Let the lane go on."""
        with self._turn:
            self._wanted = False
            self._turn.notify_all()
