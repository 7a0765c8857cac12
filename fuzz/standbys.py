"""Warm workers that stand by for whoever needs one, and the thread that starts all workers."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from fuzz.errors import WorkerError
from fuzz.worker_process import WorkerProcess

MANY_CORES = 8


def usual_standbys() -> int:
    """One; two where there are cores to import torch beside the search, which takes seconds."""
    return 2 if (os.cpu_count() or 1) >= MANY_CORES else 1


class Standbys:
    """The workers of one device that wait for work.

    Args:
        hire: starts a worker.
        wanted: how many to keep warm.
    """

    def __init__(self, hire: Callable[[], WorkerProcess], wanted: int = 0) -> None:
        self._hire = hire
        self._wanted = wanted
        self._waiting: list[WorkerProcess] = []
        self._lock = threading.Lock()
        # A worker ends with the thread that started it, and a lane's thread may end before its worker.
        self._starter = ThreadPoolExecutor(1, "kvzero-starter")

    def take(self, *_: Any) -> WorkerProcess:
        """The worker that has waited longest, or a new one; another takes its place."""
        with self._lock:
            taken = self._waiting.pop(0) if self._waiting else self._started()
            self._fill()
            return taken

    def keep(self, wanted: int) -> None:
        """Keep so many warm from now on."""
        with self._lock:
            self._wanted = wanted
            self._fill()

    @property
    def warm(self) -> bool:
        """Whether the next one to be taken need not be waited for."""
        with self._lock:
            return bool(self._waiting) and self._waiting[0].warm

    def close(self) -> None:
        """End those that wait; whoever took one ends it."""
        with self._lock:
            self._wanted = 0
            while self._waiting:
                self._waiting.pop().close()

    def end(self) -> None:
        """End the thread that started workers, and so every worker that is left."""
        self.close()
        self._starter.shutdown()

    def _fill(self) -> None:
        while len(self._waiting) < self._wanted:
            self._waiting.append(self._started())

    def _started(self) -> WorkerProcess:
        try:
            return self._starter.submit(self._hire).result()
        except OSError as error:
            raise WorkerError(f"worker: cannot be started: {error.strerror}; try fewer with --workers") from None
