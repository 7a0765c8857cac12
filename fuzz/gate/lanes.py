"""The target's workers: the cases of a stretch dealt out over all of them, and single cases apart."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

from msgspec.structs import replace

from fuzz import messages
from fuzz.case import Case
from fuzz.control import Control
from fuzz.errors import KvzeroError, WorkerError
from fuzz.fleet import Between, Fleet
from fuzz.gate.ground import Found, Stretch
from fuzz.grids import Grid, largest
from fuzz.lane import BATCH_SECONDS
from fuzz.schedule import Schedule, Work
from fuzz.supervisor import Crew
from fuzz.verdict import Verdict


class Lanes:
    """A fleet, one stretch after the other.

    Args:
        fleet: the workers.
        workers: how many run a stretch together.
        control: tells the time, and whether a signal came.
    """

    def __init__(self, fleet: Fleet, workers: int, control: Control) -> None:
        self._fleet = fleet
        self._workers = workers
        self._control = control

    def attempt(self, case: Case, target: str, *, rehearse: bool = False) -> Verdict:
        """Run one case."""
        return self._fleet.attempt(case, target, rehearse=rehearse)

    def rehearsed(self, case: Case, target: str) -> messages.Tried:
        """What a target does of a case where none of its legal launches is run."""
        return self._fleet.rehearsed(case, target)

    def renew(self) -> None:
        """Let the next case run in a fresh process."""
        self._fleet.renew()

    def stretch(self, request: messages.Batch, until: Callable[[], float], on_found: Found) -> Stretch:
        """Run all attempts of a request, or as many as there is time for."""
        running = _Running(request, until, on_found, self._control)
        self._fleet.start(self._workers, running.lane, running.over, running.fail)
        while self._fleet.running:
            self._fleet.wait(BATCH_SECONDS)
        return running.result()


class _Running:
    def __init__(self, request: messages.Batch, until: Callable[[], float], on_found: Found, control: Control) -> None:
        self._request = request
        self._until = until
        self._on_found = on_found
        self._control = control
        self._lock = threading.Lock()
        self._schedule = Schedule(request.stop)
        self._counts: Counter[str] = Counter()
        self._trouble = ""
        self._grids: dict[str, Grid] = {}
        self._failure: BaseException | None = None

    def lane(self, crew: Crew, between: Between) -> None:
        """Run what is left, piece by piece."""
        while not self.over():
            between(self.over)
            crew.open()
            with self._lock:
                work = self._schedule.take()
            if work is None:
                return
            left = max(self._until() - self._control.elapsed, 0.0)
            asked = replace(self._request, first=work.first, stop=work.stop, seconds=min(BATCH_SECONDS, left))
            done = crew.batch(asked, self._seen)
            self._record(work, done)
            ran = sum(count for outcome, count in done.counts.items() if outcome != "infra")
            if ran:
                crew.restarts.ran(ran)
            else:
                crew.restarts.barren(WorkerError(done.trouble or "worker: came back without a case"))

    def over(self) -> bool:
        """Whether time is up, or something ended the stretch."""
        late = self._control.elapsed >= self._until()
        return late or self._control.interrupted or self._failure is not None

    def fail(self, error: BaseException) -> None:
        """End the stretch."""
        self._failure = self._failure or error

    def result(self) -> Stretch:
        """What came of it; an error that is none of ours is raised."""
        if self._failure and not isinstance(self._failure, KvzeroError):
            raise self._failure
        trouble = str(self._failure) if self._failure else self._trouble
        return Stretch(sum(self._counts.values()), dict(self._counts), trouble, self._grids)

    def _seen(self, found: messages.Found) -> None:
        with self._lock:
            self._on_found(found)

    def _record(self, work: Work, done: messages.BatchDone) -> None:
        with self._lock:
            self._counts.update(done.counts)
            self._grids = largest((self._grids, done.grids))
            self._schedule.hand_back(work, done.following)
            self._trouble = self._trouble or done.trouble
