"""One spawned worker from the parent's side: its process, socket, slot and log; its death is a verdict."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar

from fuzz import flight, messages
from fuzz.errors import WorkerError
from fuzz.verdict import Verdict

A = TypeVar("A", messages.BatchDone, messages.Tried)

START_SECONDS = 300.0
"""Longest that imports and targets may take; seven seconds are usual."""

BEAT = 0.05
"""Seconds between looks at the slot of a silent worker."""

_MEMORY_SIGNALS = (signal.SIGSEGV, signal.SIGBUS)


class Died(Exception):  # noqa: N818 - news, not an error: it carries the verdict of the case in flight
    """A worker ended with a case in flight."""

    def __init__(self, running: flight.InFlight | None, verdict: Verdict, counts: dict[str, int]) -> None:
        super().__init__(verdict.text)
        self.running = running
        self.verdict = verdict
        self.counts = counts


class WorkerProcess:
    """One spawned worker: its process, its socket, its slot and its log."""

    def __init__(self, opening: messages.Open, folder: Path, number: int) -> None:
        self.slot = folder / f"{os.getpid()}-{number}.slot"
        ours, theirs = socket.socketpair()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        self._process = subprocess.Popen(
            [sys.executable, "-m", "fuzz.worker", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        theirs.close()
        self._connection = Connection(ours.detach())
        self._ready: messages.Opened | None = None
        self._send(messages.Open(opening.targets, opening.engine, opening.device_profile, str(self.slot)))

    def opened(self) -> messages.Opened:
        """Wait until the worker has loaded everything.

        Raises:
            KvzeroError: what the worker says is wrong with engine or targets.
            WorkerError: if it dies or stays silent.
        """
        if self._ready is None:
            if not self._connection.poll(START_SECONDS):
                self.kill()
                raise WorkerError(f"worker: silent for {START_SECONDS:.0f} s while loading targets; {self._tail()}")
            try:
                answer = self._receive()
            except (EOFError, ConnectionResetError):
                raise WorkerError(f"worker: died while loading targets; {self._tail()}") from None
            if isinstance(answer, messages.Failed):
                raise answer.error()
            if not isinstance(answer, messages.Opened):
                raise WorkerError(f"worker: answered {type(answer).__name__} before it was open")
            self._ready = answer
        return self._ready

    def ask(self, request: messages.Request, kind: type[A], on_found: Callable[[messages.Found], None]) -> A:
        """Send a request and wait for its answer, of one kind, passing finds on as they come.

        Raises:
            Died: if the worker ended or hung with a case in flight.
            KvzeroError: what the worker says went wrong.
        """
        self.opened()
        last = -1
        try:
            self._send(request)
            while True:
                while not self._connection.poll(BEAT):
                    state = flight.read(self.slot)
                    if state and state.overdue:
                        self.kill()
                        raise Died(state.running, _hung(state), state.counts)
                answer = self._receive()
                if isinstance(answer, messages.Failed):
                    raise answer.error()
                if isinstance(answer, kind):
                    return answer
                if not isinstance(answer, messages.Found):
                    raise WorkerError(f"worker: answered {type(answer).__name__} where {kind.__name__} was due")
                last = answer.attempt
                on_found(answer)
        except (EOFError, ConnectionResetError, BrokenPipeError):
            raise self._death(last) from None

    def kill(self) -> None:
        """End the worker and take its slot away, unless a case in it is still unreported."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the worker and remove its slot."""
        with contextlib.suppress(OSError):
            self._connection.close()
        self.kill()
        self.slot.unlink(missing_ok=True)
        self._log.close()

    def _death(self, reported: int) -> Died | WorkerError:
        self._process.wait()
        state = flight.read(self.slot)
        if state is None or state.running is None:
            return WorkerError(f"worker: ended without a case in flight; {self._tail()}")
        counts = dict(state.counts)
        if state.running.attempt == reported:
            counts["finding"] += 1
            return Died(None, Verdict("finding"), counts)
        return Died(state.running, _faulted(self._process.returncode, self._tail()), counts)

    def _send(self, request: messages.Request) -> None:
        self._connection.send_bytes(messages.encode(request))

    def _receive(self) -> messages.Answer:
        return messages.decode_answer(self._connection.recv_bytes())

    def _tail(self) -> str:
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return "its last words: " + " | ".join(lines[-3:]) if lines else "it said nothing"


def _faulted(returncode: int, tail: str) -> Verdict:
    number = -returncode
    if number in _MEMORY_SIGNALS:
        return Verdict("finding", "faulted", "memory", text=f"{signal.Signals(number).name}; {tail}")
    if number > 0:
        return Verdict("finding", "faulted", f"signal-{number}", text=tail)
    return Verdict("finding", "faulted", "exit", text=f"the process ended itself with {returncode}; {tail}")


def _hung(state: flight.Flight) -> Verdict:
    seconds = time.monotonic() - state.started
    return Verdict("finding", "hung", text=f"still running after {seconds:.0f} s, its limit {state.limit:.0f} s")
