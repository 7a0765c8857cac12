"""A process beside this one that imports torch, loads targets, and answers lines with lines of JSON."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Timer
from typing import Any

from fuzz import errors
from fuzz.errors import EngineError, KvzeroError

LONGEST = 600.0
"""Seconds that imports or an answer may take."""


class Answering:
    """Such a process.

    Args:
        module: what is run.
        arguments: of the module.
        under: a command that runs Python, such as a debugger.
        variables: that it has besides its parent's.
    """

    def __init__(
        self,
        module: str,
        arguments: tuple[str, ...],
        under: tuple[str, ...] = (),
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._name = module.rpartition(".")[2]
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [*under, sys.executable, "-P", "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            process_group=0,
            env={**os.environ, **(variables or {})},
        )

    def ready(self) -> Any:
        """What it says once it has loaded everything.

        Raises:
            KvzeroError: what is wrong with engine or targets.
        """
        return self._answer()

    def ask(self, line: str) -> Any:
        """The answer to a line.

        Raises:
            KvzeroError: what went wrong, or that the process died.
        """
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):  # what it wrote last says more
                self._process.stdin.write(line + "\n")
                self._process.stdin.flush()
        return self._answer()

    def kill(self) -> None:
        """End the process and what it started; whoever waits for its answer gets an error."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def finish(self, seconds: float) -> None:
        """Let it end by itself, within so many seconds."""
        with suppress(BrokenPipeError, subprocess.TimeoutExpired):
            if self._process.stdin is not None:
                self._process.stdin.close()
            self._process.wait(seconds)

    def close(self) -> None:
        """End the process, and forget it."""
        self.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        self._log.close()

    def _answer(self) -> Any:
        timer = Timer(LONGEST, self.kill)
        timer.start()
        line = self._process.stdout.readline() if self._process.stdout else ""
        timer.cancel()
        if not line:
            self._log.seek(0)
            words = self._log.read().decode(errors="replace").strip().splitlines()
            raise EngineError(f"{self._name}: the process ended; its last words: {' | '.join(words[-3:]) or 'none'}")
        told = json.loads(line)
        if isinstance(told, dict) and "kind" in told:
            raise getattr(errors, told["kind"])(told["text"])
        return told


@contextmanager
def answering(module: str, *arguments: str) -> Iterator[Answering]:
    """A process that runs a module, ended with the block."""
    process = Answering(module, arguments)
    try:
        yield process
    finally:
        process.close()


def answered(prepare: Callable[[], tuple[Any, Callable[[str], Any]]]) -> None:
    """Answer until standard input is closed; errors travel as their class and text.

    Args:
        prepare: loads everything, and gives the first answer and what makes one of a line.
    """
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)  # what a target prints is no answer

        def answer(value: Any) -> None:
            answers.write(json.dumps(value) + "\n")
            answers.flush()

        try:
            first, respond = prepare()
            answer(first)
            for line in sys.stdin:
                answer(respond(line))
        except KvzeroError as error:
            answer({"kind": type(error).__name__, "text": str(error)})
        except Exception:
            answer({"kind": "EngineError", "text": traceback.format_exc(limit=-3)})
