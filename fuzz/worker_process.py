"""One spawned worker from the parent's side: its process, socket, slot and log."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from fuzz import flight, messages
from fuzz.death import Died, ended, hung
from fuzz.errors import KvzeroError, UsageError, WorkerError
from fuzz.waiting import BEAT, Abandoned, never
from fuzz.worker_log import WorkerLog

A = TypeVar("A", messages.BatchDone, messages.Tried)

START_SECONDS = 300.0
"""Longest that imports and targets may take; seven seconds are usual."""

_GONE = (EOFError, ConnectionResetError, BrokenPipeError)


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
        self._log = WorkerLog()
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "fuzz.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=self._log.fileno(),
                stderr=subprocess.STDOUT,
                process_group=0,
                env={**os.environ, **(environment or {})},
            )
        self._connection = Connection(ours.detach())
        self._pool_sent: bytes | None = None
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
        return self._process.poll() is None and isinstance(self._ready, messages.Opened)

    @property
    def warm(self) -> bool:
        """Whether there is nothing to wait for: it has loaded everything, or failed to."""
        return self._ready is not None or self._connection.poll(0)

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
            self.kill()
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
            self._send(request)
            while True:
                while not self._heard():
                    state = self._overdue()
                    if state is not None:
                        self.kill()
                        raise hung(state)
                answer = self._receive()
                if isinstance(answer, messages.Failed):
                    raise answer.error()
                if isinstance(answer, kind):
                    return answer
                if not isinstance(answer, messages.Found):
                    raise WorkerError(f"worker: answered {type(answer).__name__} where {kind.__name__} was due")
                last = answer
                on_found(answer)
        except _GONE:
            raise self._death(last) from None

    def kill(self) -> None:
        """End the worker and whatever its targets have started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def close(self) -> None:
        """End the worker and remove its slot."""
        with contextlib.suppress(OSError):
            self._connection.close()
        self.kill()
        self.slot.unlink(missing_ok=True)
        self._log.close()

    def _open(self, opening: messages.Open, folder: Path) -> None:
        self.slot = folder / f"{uuid.uuid4().hex}.slot"
        self._names = ", ".join(opening.targets)
        self._ready = None
        with contextlib.suppress(*_GONE):
            self._send(replace(opening, slot=str(self.slot)))

    def _opening(self) -> messages.Opened | KvzeroError:
        until = time.monotonic() + START_SECONDS
        try:
            while not self._heard():
                if self.unwanted():
                    self.kill()
                    raise Abandoned
                if time.monotonic() > until:
                    return self._unloaded(f"not loaded after {START_SECONDS:.0f} s")
            answer = self._receive()
        except _GONE:
            self.kill()
            return self._unloaded(f"importing it ended the worker with {self._process.returncode}")
        if isinstance(answer, messages.Failed):
            return answer.error()
        if not isinstance(answer, messages.Opened):
            return WorkerError(f"worker: answered {type(answer).__name__} before it was open")
        return answer

    def _unloaded(self, reason: str) -> UsageError:
        return UsageError(f"target={self._names}: {reason}; {self._log.last_words()}")

    def _heard(self) -> bool:
        """Whether the worker said something within a beat."""
        heard = self._connection.poll(BEAT)
        self._log.trim()
        if not heard and self.given_up():
            self.kill()
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
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=BEAT * 20)  # a target may have closed our socket and lived on
        self.kill()
        return ended(flight.read(self.slot), last, self._process.returncode, self._log.last_words())

    def _send(self, request: messages.Request) -> None:
        if isinstance(request, messages.Open):
            self._pool_sent = None
        elif isinstance(request, messages.Batch):
            sent, self._pool_sent = self._pool_sent, request.pool
            if sent == request.pool:  # it has that one
                request = replace(request, pool=None)
        self._connection.send_bytes(messages.encode(request))

    def _receive(self) -> messages.Answer:
        return messages.decode_answer(self._connection.recv_bytes())
