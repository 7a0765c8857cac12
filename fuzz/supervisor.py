"""The worker that runs and those that stand by; a death becomes the verdict of the case in flight."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from fuzz import messages
from fuzz.case import Case
from fuzz.death import Died
from fuzz.errors import KvzeroError, WorkerError
from fuzz.one_by_one import named, one_by_one
from fuzz.restarts import Restarts
from fuzz.verdict import Verdict
from fuzz.waiting import Abandoned
from fuzz.worker_process import WorkerProcess


class Crew:
    """The worker that runs and those that stand by, so that a crash costs no seven seconds.

    Args:
        opening: targets, engine and device profile.
        folder: where the flight slots lie.
        standbys: how many more workers to keep warm.
        hire: makes a worker.
        restarts: how often workers may die, and whether it is time to give up waiting for one.
        at_once: whether the first worker starts now, and what it cannot open is an error; else it starts with
            the first request, and is replaced like any other.
    """

    def __init__(
        self,
        opening: messages.Open,
        folder: Path,
        *,
        standbys: int,
        hire: Callable[[messages.Open, Path], WorkerProcess] = WorkerProcess,
        restarts: Restarts | None = None,
        at_once: bool = True,
    ) -> None:
        self._hire: Callable[[], WorkerProcess] = partial(hire, opening, folder)
        self._wanted = standbys
        self._standbys: list[WorkerProcess] = []
        self.restarts = restarts or Restarts()
        self._active: WorkerProcess | None = self._hire() if at_once else None
        if self._active is not None:
            self._active.given_up = self.restarts.given_up

    def open(self) -> messages.Opened:
        """Wait for the worker that runs, then let the others start.

        Raises:
            KvzeroError: what is wrong with engine or targets.
            WorkerError: if workers keep dying.
        """
        opened = self._ready().opened()
        while len(self._standbys) < self._wanted:
            self._standbys.append(self._hire())
        return opened

    def batch(self, request: messages.Batch, on_found: Callable[[messages.Found], None]) -> messages.BatchDone:
        """Run a batch; what kills or hangs the worker is reported as found, like anything else.

        Raises:
            WorkerError: if workers keep dying.
        """
        lost = False

        def seen(found: messages.Found) -> None:
            nonlocal lost
            lost |= found.verdict.lost
            on_found(found)

        self.open()
        try:
            done = self._ready().ask(request, messages.BatchDone, seen)
        except Died as death:
            self._dismiss()
            if not named(request, death):
                return one_by_one(self, request, death, on_found)
            return _ended(request, death, on_found)
        if lost:
            self._dismiss()
        return done

    def attempt(self, case: Case, target: str, *, rehearse: bool = False) -> Verdict:
        """The verdict of one case on one target.

        Raises:
            WorkerError: if workers keep dying.
        """
        return self.tried(case, target, rehearse=rehearse).verdict

    def tried(self, case: Case, target: str, *, rehearse: bool = False) -> messages.Tried:
        """Run one case on one target.

        Raises:
            WorkerError: if workers keep dying.
        """
        self.open()
        try:
            tried = self._ready().ask(messages.Try(target, case, rehearse), messages.Tried, _unasked)
        except Died as death:
            self._dismiss()
            return messages.Tried(death.verdict)
        if tried.verdict.lost:
            self._dismiss()
        return tried

    def renew(self) -> None:
        """Let the worker go between two requests; what comes next runs in one that has run nothing."""
        if self._active is not None:
            self._active.close()
            self._active = None

    def close(self) -> None:
        """End all workers."""
        for worker in (*self._standbys, *filter(None, [self._active])):
            worker.close()

    def _ready(self) -> WorkerProcess:
        """The worker that runs; a standby that died waiting is passed over."""
        while self._active is None:
            self.restarts.check()
            next_one = self._standbys.pop(0) if self._standbys else self._hire()
            next_one.given_up, next_one.unwanted = self.restarts.given_up, self.restarts.unwanted
            try:
                next_one.opened()
            except Abandoned:
                next_one.close()
                raise
            except KvzeroError as error:
                self.restarts.died()
                next_one.close()
                self.restarts.barren(error)
            else:
                self._active = next_one
        return self._active

    def _dismiss(self) -> None:
        """Close the worker that ran; the next request gets another."""
        if self._active is not None:
            self.restarts.died()
        self.renew()


@contextmanager
def crew_of(targets: tuple[str, ...], engine: str | None, device_profile: str | None = None) -> Iterator[Crew]:
    """A crew of one worker in a passing folder, for as long as the block lasts; it need not be open yet."""
    with tempfile.TemporaryDirectory(prefix="kvzero-") as folder:
        crew = Crew(messages.Open(targets, engine, device_profile, ""), Path(folder), standbys=0)
        try:
            yield crew
        finally:
            crew.close()


def _ended(request: messages.Batch, death: Died, on_found: Callable[[messages.Found], None]) -> messages.BatchDone:
    """A batch that a death cut short: its counts, with the case in flight or the trouble itself."""
    counts = dict(death.counts)
    counts[death.verdict.outcome] = counts.get(death.verdict.outcome, 0) + 1
    following = request.first + sum(counts.values())
    for running in death.running:
        on_found(messages.Found(running.attempt, running.target, running.profile, running.case, death.verdict))
    trouble = death.verdict.text if death.verdict.outcome == "infra" else ""
    return messages.BatchDone(following, counts, trouble=trouble)


def _unasked(found: messages.Found) -> None:
    raise WorkerError(f"worker: sent the find of attempt {found.attempt} where one case was tried")
