"""The worker that runs and those that stand by; a death becomes the verdict of the case in flight."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from fuzz import messages
from fuzz.case import Case
from fuzz.errors import WorkerError
from fuzz.verdict import Verdict
from fuzz.worker_process import Died, WorkerProcess

MOST_RESTARTS = 200
"""Deaths after which a run gives up: something other than cases must be killing workers."""

MANY_CORES = 8


def usual_standbys() -> int:
    """One; two where there are cores to import torch beside the search, which takes seconds."""
    return 2 if (os.cpu_count() or 1) >= MANY_CORES else 1


class Crew:
    """The worker that runs and the one that stands by, so that a crash costs no seven seconds.

    Args:
        opening: targets, engine and device profile; the slot is filled in here.
        folder: where the flight slots lie.
        standbys: how many more workers to keep warm.
    """

    def __init__(self, opening: messages.Open, folder: Path, *, standbys: int) -> None:
        self._opening = opening
        self._folder = folder
        self._wanted = standbys
        self._number = 0
        self._standbys: list[WorkerProcess] = []
        self._restarts = 0
        self._active = self._hire()

    def open(self) -> messages.Opened:
        """Wait for the first worker, then let the others start.

        Raises:
            KvzeroError: what is wrong with engine or targets.
        """
        opened = self._active.opened()
        self._fill()
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

        try:
            done = self._active.ask(request, messages.BatchDone, seen)
        except Died as death:
            self._replace()
            following = request.first + sum(death.counts.values())
            counts = dict(death.counts)
            if death.running is not None:
                counts["finding"] += 1
                following += 1
                on_found(
                    messages.Found(
                        death.running.attempt,
                        death.running.target,
                        death.running.profile,
                        death.running.case,
                        death.verdict,
                    )
                )
            return messages.BatchDone(following, counts)
        if lost:
            self._replace()
        return done

    def attempt(self, case: Case, target: str, *, rehearse: bool = False) -> Verdict:
        """Run one case on one target.

        Raises:
            WorkerError: if workers keep dying.
        """
        try:
            tried = self._active.ask(messages.Try(target, case, rehearse), messages.Tried, _unasked)
        except Died as death:
            self._replace()
            return death.verdict
        if tried.verdict.lost:
            self._replace()
        return tried.verdict

    def close(self) -> None:
        """End all workers."""
        for worker in (self._active, *self._standbys):
            worker.close()

    def _hire(self) -> WorkerProcess:
        self._number += 1
        return WorkerProcess(self._opening, self._folder, self._number)

    def _replace(self) -> None:
        self._restarts += 1
        if self._restarts > MOST_RESTARTS:
            raise WorkerError(f"worker: died {self._restarts} times in one run; see the finds for what kills it")
        self._active.close()
        self._active = self._standbys.pop(0) if self._standbys else self._hire()
        self._fill()
        self._active.opened()

    def _fill(self) -> None:
        while len(self._standbys) < self._wanted:
            self._standbys.append(self._hire())


def _unasked(found: messages.Found) -> None:
    raise WorkerError(f"worker: sent the find of attempt {found.attempt} where one case was tried")
