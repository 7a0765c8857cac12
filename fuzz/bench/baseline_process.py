"""The baselines from the side of the process that measures: ask for a round, get its seconds."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer

from fuzz import errors
from fuzz.errors import EngineError

LONGEST = 600.0
"""Seconds that imports or a round may take."""


class Baselines:
    """A process with a target loaded; made by :func:`baselines`."""

    def __init__(self, target: str, engine: str) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "fuzz.bench.baselines", target, engine],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )

    def ready(self) -> None:
        """Wait until it has loaded everything.

        Raises:
            KvzeroError: what is wrong with engine or target.
        """
        self._answer()

    def timed(self, driver: str, cases: int) -> tuple[float, float]:
        """Seconds of a round, and the mean bytes of its cases.

        Raises:
            EngineError: if a case is not right, or the process dies.
        """
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):  # what it wrote last says more
                self._process.stdin.write(f"{driver} {cases}\n")
                self._process.stdin.flush()
        told = self._answer()
        return told["seconds"], told["bytes"] / cases

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._log.close()

    def _answer(self) -> dict[str, float]:
        timer = Timer(LONGEST, self._process.kill)
        timer.start()
        line = self._process.stdout.readline() if self._process.stdout else ""
        timer.cancel()
        if not line:
            self._log.seek(0)
            words = self._log.read().decode(errors="replace").strip().splitlines()
            raise EngineError(f"baselines: the process ended; its last words: {' | '.join(words[-3:]) or 'none'}")
        told = json.loads(line)
        if "kind" in told:
            raise getattr(errors, told["kind"])(told["text"])
        values: dict[str, float] = told
        return values


@contextmanager
def baselines(target: str, engine: str) -> Iterator[Baselines]:
    """A process of baselines, ended with the block."""
    process = Baselines(target, engine)
    try:
        process.ready()
        yield process
    finally:
        process.close()
