"""A spawned worker's process, and the messages to and from it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection

from msgspec.structs import replace

from fuzz import messages
from fuzz.worker_log import WorkerLog

GONE = (EOFError, ConnectionResetError, BrokenPipeError)
"""What is raised by sending and listening once the process has ended, or closed its end."""


class Channel:
    """A process that is started at once; what its targets start dies with it.

    Args:
        environment: variables that it has besides its parent's.

    Attributes:
        log: what it prints.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self.log = WorkerLog()
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "fuzz.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=self.log.fileno(),
                stderr=subprocess.STDOUT,
                process_group=0,
                env={**os.environ, **(environment or {})},
            )
        self._connection = Connection(ours.detach())
        self._pool_sent: bytes | None = None

    @property
    def lives(self) -> bool:
        """Whether the process does."""
        return self._process.poll() is None

    def send(self, request: messages.Request) -> None:
        """Send a request; a pool that the worker has already is left out."""
        if isinstance(request, messages.Open):
            self._pool_sent = None
        elif isinstance(request, messages.Batch):
            sent, self._pool_sent = self._pool_sent, request.pool
            if sent == request.pool:  # it has that one
                request = replace(request, pool=None)
        self._connection.send_bytes(messages.encode(request))

    def heard(self, seconds: float = 0.0) -> bool:
        """Whether there is something to receive within so many seconds, be it the end."""
        return self._connection.poll(seconds)

    def receive(self) -> messages.Answer:
        """The next answer, waited for."""
        return messages.decode_answer(self._connection.recv_bytes())

    def kill(self, grace: float = 0.0) -> int:
        """End the process and whatever its targets have started.

        Args:
            grace: seconds in which it may end by itself.

        Returns:
            How it ended: below 0 the signal, else its exit code.
        """
        if grace:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(grace)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        return self._process.wait()

    def close(self) -> None:
        """End the process, and forget what it printed."""
        with contextlib.suppress(OSError):
            self._connection.close()
        self.kill()
        self.log.close()
