"""How often workers may die, and how long to wait before the next one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from fuzz.errors import WorkerError
from fuzz.waiting import BEAT, Abandoned, never

MOST = 200
"""Deaths after which a run gives up: something other than cases must be killing workers."""

CASES_A_DEATH = 1000
"""Cases that allow one death more: a find that kills its worker once in thousands of cases may do so all week."""

MOST_BARREN = 10
"""Workers in a row that ran no case; with the waits between them two and a half minutes, in which a driver may
come back."""

SHORTEST, LONGEST = 0.5, 30.0
"""Seconds to wait after the first and the last of them."""


class Deaths:
    """What all workers of a run may use up together."""

    def __init__(self) -> None:
        self.count = 0
        self.cases = 0
        self._lock = threading.Lock()

    def add(self, *, deaths: int = 0, cases: int = 0) -> None:
        """Count deaths and cases."""
        with self._lock:
            self.count += deaths
            self.cases += cases

    @property
    def too_many(self) -> bool:
        """Whether the allowance is used up."""
        return self.count > MOST + self.cases // CASES_A_DEATH


class Restarts:
    """One crew's restarts: it waits longer after each worker that ran nothing, and gives up in the end.

    Args:
        deaths: those of the whole run.
        given_up: whether no answer of a worker is waited for any longer.
        unwanted: whether no new worker is.
    """

    def __init__(
        self,
        deaths: Deaths | None = None,
        given_up: Callable[[], bool] = never,
        unwanted: Callable[[], bool] = never,
    ) -> None:
        self.given_up = given_up
        self.unwanted = unwanted
        self._deaths = deaths or Deaths()
        self._barren = 0

    def check(self) -> None:
        """Refuse another worker once too many died.

        Raises:
            WorkerError: saying how many.
        """
        if self._deaths.too_many:
            count = self._deaths.count
            raise WorkerError(f"worker: died {count} times in one run; see the finds for what kills it")

    def died(self) -> None:
        """A worker died, whatever of."""
        self._deaths.add(deaths=1)

    def ran(self, cases: int) -> None:
        """Cases came to an end, so workers live."""
        self._barren = 0
        self._deaths.add(cases=cases)

    def barren(self, error: Exception) -> None:
        """A worker ended without running a case: wait before the next one.

        Raises:
            Exception: the error, after too many in a row.
            Abandoned: if the wait was given up.
        """
        self._barren += 1
        if self._barren > MOST_BARREN:
            raise error
        until = time.monotonic() + min(SHORTEST * 2 ** (self._barren - 1), LONGEST)
        while time.monotonic() < until:
            if self.given_up() or self.unwanted():
                raise Abandoned
            time.sleep(BEAT)
