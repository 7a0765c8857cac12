"""What a worker and its targets print: kept for its last words, and bounded."""

from __future__ import annotations

import fcntl
import os
import tempfile

MOST = 2**24
"""Bytes that are kept: a target that prints all day must not fill the disk."""

LAST = 2**12
"""Bytes that are kept when the rest is thrown away, and that last words are looked for in."""


class WorkerLog:
    """A file without a name, to be a worker's standard output."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        # Written at its end, wherever that is, for its front may be cut off.
        fcntl.fcntl(self._file, fcntl.F_SETFL, os.O_APPEND)

    def fileno(self) -> int:
        """The handle that the worker writes to."""
        return self._file.fileno()

    def trim(self) -> None:
        """Throw all but the end away if there is too much."""
        if os.fstat(self.fileno()).st_size > MOST:
            last = self._end()
            os.ftruncate(self.fileno(), 0)
            os.write(self.fileno(), last)

    def last_words(self) -> str:
        """The last three lines, in a sentence."""
        lines = self._end().decode(errors="replace").strip().splitlines()
        return "its last words: " + " | ".join(lines[-3:]) if lines else "it said nothing"

    def close(self) -> None:
        """Forget all of it."""
        self._file.close()

    def _end(self) -> bytes:
        return os.pread(self.fileno(), LAST, max(os.fstat(self.fileno()).st_size - LAST, 0))
