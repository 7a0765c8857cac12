"""Workers that load one target after the other, so that a hundred targets do not import torch a hundred times."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fuzz import messages
from fuzz.supervisor import Crew
from fuzz.worker_process import WorkerProcess


class Pool:
    """At most one idle worker, which the next crew takes over.

    A worker that died, hung or lost its device is never kept: what a target broke must not meet the next one.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="kvzero-bench-")
        self._idle: list[_Kept] = []
        self._keeping = False

    @contextmanager
    def crew(self, targets: tuple[str, ...], engine: str | None, device_profile: str | None) -> Iterator[Crew]:
        """A crew of one worker with these targets loaded."""
        opening = messages.Open(targets, engine, device_profile, "")
        crew = Crew(opening, Path(self._folder.name), standbys=0, hire=self._hired)
        try:
            yield crew
        finally:
            self._keeping = True
            crew.close()
            self._keeping = False

    def close(self) -> None:
        """End the idle worker."""
        for worker in self._idle:
            worker.close()
        self._folder.cleanup()

    def _hired(self, opening: messages.Open, folder: Path) -> WorkerProcess:
        if self._idle:
            worker = self._idle.pop()
            worker.reopen(opening, folder)
            return worker
        return _Kept(self, opening, folder)

    def kept(self, worker: _Kept) -> bool:
        """Whether a worker that is let go goes on living."""
        if self._keeping and worker.usable:
            self._idle.append(worker)
            return True
        return False


class _Kept(WorkerProcess):
    def __init__(self, pool: Pool, opening: messages.Open, folder: Path) -> None:
        self._pool = pool
        super().__init__(opening, folder)

    def close(self) -> None:
        if not self._pool.kept(self):
            super().close()
