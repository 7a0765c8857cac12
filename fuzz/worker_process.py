"""One spawned worker from the parent's side: it is opened, asked, waited for, given up and ended."""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from fuzz import flight, messages
from fuzz.channel import GONE, Channel
from fuzz.death import Died, ended, hung
from fuzz.errors import KvzeroError, UsageError, WorkerError
from fuzz.waiting import BEAT, Abandoned, never

A = TypeVar("A", messages.BatchDone, messages.Tried)

START_SECONDS = 300.0
"""Longest that imports and targets may take; seven seconds are usual."""


class WorkerProcess:
    """One worker: it loads targets as soon as it is made, and runs what it is asked.

    Its parent must start it from a thread that lives on: the kernel ends a worker with the thread.

    Args:
        opening: targets, engine and device profile; the slot is filled in here.
        folder: where the flight slot lies.
        environment: variables that the worker has besides its parent's.

    Attributes:
        slot: where it holds its cases in flight.
        given_up: asked at each beat of waiting; once true, the wait ends with :class:`Abandoned`.
        unwanted: the same while it loads: whether there is nothing left that it could run.
    """

    _ready: messages.Opened | KvzeroError | None

    def __init__(self, opening: messages.Open, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self.given_up: Callable[[], bool] = never
        self.unwanted: Callable[[], bool] = never
        self._channel = Channel(environment)
        self._open(opening, folder)

    def reopen(self, opening: messages.Open, folder: Path) -> None:
        """Load other targets in the same process; :meth:`opened` waits for them.

        Args:
            opening: as for a new worker.
            folder: where its slot lies from now on.
        """
        self.slot.unlink(missing_ok=True)
        self._open(opening, folder)

    @property
    def usable(self) -> bool:
        """Whether it has loaded everything, and its process lives."""
        return self._channel.lives and isinstance(self._ready, messages.Opened)

    @property
    def warm(self) -> bool:
        """Whether there is nothing to wait for: it has loaded everything, or failed to."""
        return self._ready is not None or self._channel.heard()

    def opened(self) -> messages.Opened:
        """Wait until the worker has loaded everything.

        Raises:
            Abandoned: if it was given up.
            KvzeroError: what the worker says is wrong with engine or targets, now and each time after.
            WorkerError: if it dies or stays silent.
        """
        if self._ready is None:
            self._ready = self._opening()
        if isinstance(self._ready, KvzeroError):
            self._channel.kill()
            raise self._ready
        return self._ready

    def ask(self, request: messages.Request, kind: type[A], on_found: Callable[[messages.Found], None]) -> A:
        """Send a request and wait for its answer, of one kind, passing finds on as they come.

        Raises:
            Died: if the worker ended or hung.
            Abandoned: if it was given up; what it did meanwhile is not told.
            KvzeroError: what the worker says went wrong.
        """
        self.opened()
        last: messages.Found | None = None
        try:
            self._channel.send(request)
            while True:
                while not self._heard():
                    state = self._overdue()
                    if state is not None:
                        self._channel.kill()
                        raise hung(state)
                answer = self._channel.receive()
                if isinstance(answer, messages.Failed):
                    raise answer.error()
                if isinstance(answer, kind):
                    return answer
                if not isinstance(answer, messages.Found):
                    raise WorkerError(f"worker: answered {type(answer).__name__} where {kind.__name__} was due")
                last = answer
                on_found(answer)
        except GONE:
            raise self._death(last) from None

    def close(self) -> None:
        """End the worker and whatever its targets have started, and remove its slot."""
        self._channel.close()
        self.slot.unlink(missing_ok=True)

    def _open(self, opening: messages.Open, folder: Path) -> None:
        self.slot = folder / f"{uuid.uuid4().hex}.slot"
        self._names = ", ".join(opening.targets)
        self._ready = None
        with contextlib.suppress(*GONE):
            self._channel.send(replace(opening, slot=str(self.slot)))

    def _opening(self) -> messages.Opened | KvzeroError:
        until = time.monotonic() + START_SECONDS
        try:
            while not self._heard():
                if self.unwanted():
                    self._channel.kill()
                    raise Abandoned
                if time.monotonic() > until:
                    return self._unloaded(f"not loaded after {START_SECONDS:.0f} s")
            answer = self._channel.receive()
        except GONE:
            return self._unloaded(f"importing it ended the worker with {self._channel.kill()}")
        if isinstance(answer, messages.Failed):
            return answer.error()
        if not isinstance(answer, messages.Opened):
            return WorkerError(f"worker: answered {type(answer).__name__} before it was open")
        return answer

    def _unloaded(self, reason: str) -> UsageError:
        return UsageError(f"target={self._names}: {reason}; {self._channel.log.last_words()}")

    def _heard(self) -> bool:
        """Whether the worker said something within a beat."""
        heard = self._channel.heard(BEAT)
        self._channel.log.trim()
        if not heard and self.given_up():
            self._channel.kill()
            raise Abandoned
        return heard

    def _overdue(self) -> flight.Flight | None:
        """The state of a slot that two looks in a row find overdue with one case."""
        first = flight.read(self.slot)
        if first is None or not first.overdue:
            return None
        time.sleep(BEAT)
        second = flight.read(self.slot)
        same = second is not None and second.overdue and second.started == first.started
        return second if same else None

    def _death(self, last: messages.Found | None) -> Died:
        """What a broken connection means; ``last`` is the find that was reported last."""
        returncode = self._channel.kill(BEAT * 20)  # a target may have closed our socket and lived on
        return ended(flight.read(self.slot), last, returncode, self._channel.log.last_words())
