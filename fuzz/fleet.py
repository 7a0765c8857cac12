"""The lanes of a run, each a thread with a crew of its own, and the standbys that they share."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from fuzz import devices, messages
from fuzz.case import Case
from fuzz.control import Control
from fuzz.loan import Loan
from fuzz.restarts import Deaths, Restarts
from fuzz.standbys import Standbys, usual_standbys
from fuzz.supervisor import Crew
from fuzz.verdict import Verdict
from fuzz.waiting import BEAT, Abandoned, never
from fuzz.worker_process import WorkerProcess

LEAVING = 5.0
"""Seconds that a lane may take to leave its worker; only a process that the kernel cannot end takes longer."""

Between = Callable[[Callable[[], bool]], None]
"""Called by a lane between two batches, with a function that tells whether the run is over."""

Body = Callable[[Crew, Between], None]
Failed = Callable[[BaseException], None]


class Fleet:
    """Several workers at once; a crash in one lane costs the others nothing.

    Args:
        opening: targets, engine and device profile.
        folder: where the flight slots lie.
        control: tells when waiting for a worker is over.
        hire: makes a worker.
    """

    def __init__(
        self,
        opening: messages.Open,
        folder: Path,
        control: Control,
        hire: Callable[..., WorkerProcess] = WorkerProcess,
    ) -> None:
        self.deaths = Deaths()
        self._opening = opening
        self._folder = folder
        self._control = control
        self._hire = hire
        self._gpus = 0
        self._closing = False
        self._standbys = [Standbys(partial(self._hired, 0))]
        self._threads: list[threading.Thread] = []
        self._shrinking: Crew | None = None
        self._loan = Loan()
        self._over: Callable[[], bool] = never
        self.crews = [self._crew(0, at_once=True, lane=True)]

    def open(self) -> messages.Opened:
        """Wait for the first worker, which tells what the others will find.

        Raises:
            KvzeroError: what is wrong with engine or targets.
            Abandoned: if a signal came first.
        """
        opened = self.crews[0].open()
        self._gpus = opened.gpus
        del self._standbys[1:]
        self._standbys += [Standbys(partial(self._hired, device)) for device in range(1, self._gpus)]
        return opened

    def start(self, workers: int, body: Body, over: Callable[[], bool], failed: Failed) -> None:
        """Let the lanes run, the first at once, the others as soon as their workers are ready.

        Once they have ended, others may be started, which take over their workers.

        Args:
            workers: how many lanes, dealt out over the GPUs by turns.
            body: what a lane does with its crew; it must call the function beside it between two batches.
            over: whether the run is, so that no lane waits for another worker.
            failed: told what ended a lane, if anything did.
        """
        more = range(len(self.crews), workers)
        self.crews += [self._crew(lane % len(self._standbys), at_once=False, lane=True) for lane in more]

        self._over = over

        def lane(crew: Crew) -> None:
            try:
                body(crew, self._loan.lend if crew is self.crews[0] else _keep)
            except Abandoned:
                pass
            except BaseException as error:
                failed(error)

        for crew in self.crews:
            thread = threading.Thread(target=lane, args=(crew,), daemon=True)
            self._threads.append(thread)
            thread.start()
        for pool in self._standbys[:workers]:
            pool.keep(usual_standbys())

    @property
    def running(self) -> bool:
        """Whether any lane is still at it."""
        return any(thread.is_alive() for thread in self._threads)

    def wait(self, seconds: float) -> None:
        """Wait until a lane ends, or so long."""
        for thread in self._threads:
            if thread.is_alive():
                thread.join(seconds)
                return

    def attempt(self, case: Case, target: str, *, rehearse: bool = False) -> Verdict:
        """Run one case on one target, apart from the search while that goes on.

        Raises:
            WorkerError: if workers keep dying.
            Abandoned: if a signal came first.
        """
        return self._hands().attempt(case, target, rehearse=rehearse)

    def rehearsed(self, case: Case, target: str) -> messages.Tried:
        """What a target does of a case where none of its legal launches is run.

        Raises:
            WorkerError: if workers keep dying.
            Abandoned: if a signal came first.
        """
        return self._hands().tried(case, target, rehearse=True)

    def renew(self) -> None:
        """Let the next case that is tried run in a fresh process."""
        self._hands().renew()

    def rest(self) -> None:
        """Nothing is to be tried for now: the first lane gets its crew back if it was lent."""
        self._loan.give_back()

    def close(self) -> None:
        """End all lanes and workers."""
        self._closing = True
        for thread in self._threads:
            thread.join(LEAVING)
        for crew in (*self.crews, *filter(None, [self._shrinking])):
            crew.close()
        for pool in self._standbys:
            pool.end()

    def _hands(self) -> Crew:
        """A crew apart from the lanes, made as soon as a standby is warm; until then the first lane's, lent."""
        while self._shrinking is None and self.running:
            if self._control.interrupted:
                raise Abandoned
            if self._standbys[0].warm:
                self._shrinking = self._crew(0, at_once=False, lane=False)
                self._loan.give_back()
            elif self._loan.borrow(BEAT):
                break
        return self._shrinking or self.crews[0]

    def _crew(self, device: int, *, at_once: bool, lane: bool) -> Crew:
        """A crew whose workers come from the standbys of a device."""
        return Crew(
            self._opening,
            self._folder,
            standbys=0,
            hire=self._standbys[device].take,
            restarts=Restarts(
                self.deaths, lambda: self._given_up(lane=lane), lambda: lane and self.running and self._over()
            ),
            at_once=at_once,
        )

    def _given_up(self, *, lane: bool) -> bool:
        """Whether an answer is waited for no longer: a lane has a grace to end its batch, a try has none."""
        in_a_batch = lane and self.running
        return self._closing or (self._control.out_of_grace if in_a_batch else self._control.interrupted)

    def _hired(self, device: int) -> WorkerProcess:
        return self._hire(self._opening, self._folder, devices.environment(device, self._gpus))


def _keep(over: Callable[[], bool]) -> None:
    """What a lane does between two batches that lends its crew to nobody."""
