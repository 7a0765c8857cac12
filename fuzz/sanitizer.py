"""Case files below NVIDIA's compute-sanitizer, which sees reads and writes beyond an allocation.

The arena of a usual run is one allocation: a read beyond a page goes unseen there, and a write is seen by the bytes
that it changes. Here each storage is an allocation of its own, and memcheck names the first access beyond it.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from fuzz.answering import Answering
from fuzz.errors import EngineError, KvzeroError, UsageError
from fuzz.verdict import Verdict

TOOL = "compute-sanitizer"

UNCACHED = {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
"""torch asks the driver for every tensor by itself, with exactly its bytes."""

MARK = "========= "
"""What the tool's lines begin with."""

ENDING = 20.0
"""Seconds that the tool may take to write down what it saw."""

WORDS = 3
"""Lines of a report that are repeated."""


class Seen(NamedTuple):
    """A case file and what came of it."""

    path: Path
    verdict: Verdict


def tool() -> str:
    """Where the tool is.

    Raises:
        EngineError: if there is none on PATH.
    """
    found = shutil.which(TOOL)
    if found is None:
        raise EngineError(f"sanitize: there is no {TOOL} on PATH; install the CUDA toolkit, or leave --sanitize out")
    return found


def sanitized(target: str, paths: Sequence[Path], log: Path, left: Callable[[], float]) -> Iterator[Seen]:
    """Run case files below memcheck; after a find the next ones run in a new process.

    Args:
        target: locator.
        paths: case files.
        log: file that the tool writes into.
        left: seconds that there are; when none are left this ends, whatever is waiting.

    Raises:
        KvzeroError: what is wrong with device or target.
    """
    waiting = list(paths)
    while waiting and left() > 0:
        log.unlink(missing_ok=True)
        process = Answering("fuzz.sanitized_process", (target,), command(log), UNCACHED)
        timer = threading.Timer(left(), process.kill)
        timer.start()
        try:
            _ready(process, log)
            while waiting:
                seen = _seen(process, waiting[0], log, left)
                if seen is None:
                    return
                waiting.pop(0)
                yield seen
                if seen.verdict.lost:
                    break
            else:
                process.finish(min(ENDING, left()))
                _require_nothing(log)
        except (UsageError, EngineError):
            if left() > 0:
                raise
            return
        finally:
            timer.cancel()
            process.close()


def command(log: Path) -> tuple[str, ...]:
    """The tool before the command that it watches."""
    return (tool(), "--tool", "memcheck", "--log-file", str(log), "--print-limit", "10", "--target-processes", "all")


def report(log: Path) -> str:
    """The first error in a log, a few lines of it; empty if there is none."""
    lines = _lines(log)
    first = next((number for number, line in enumerate(lines) if line.startswith("Invalid ")), None)
    return "" if first is None else "; ".join(lines[first : first + WORDS])


def _lines(log: Path) -> list[str]:
    try:
        lines = [line.removeprefix(MARK).strip() for line in log.read_text(errors="replace").splitlines()]
    except FileNotFoundError:
        return []
    return list(filter(None, lines))


def _ready(process: Answering, log: Path) -> None:
    """Wait until the process has loaded everything; where it could not, the tool may know why."""
    try:
        process.ready()
    except EngineError as error:
        process.finish(ENDING)
        words = "; ".join(_lines(log)[-WORDS:])
        raise EngineError(f"{error}; {TOOL}: {words}" if words else str(error)) from None


def _require_nothing(log: Path) -> None:
    """Refuse to say that all is well where the tool saw an error and no case failed."""
    words = report(log)
    if words:
        raise EngineError(f"{TOOL}: {words}; no case failed of it")


def _seen(process: Answering, path: Path, log: Path, left: Callable[[], float]) -> Seen | None:
    """What comes of a file; None if there was no time for it."""
    try:
        told = process.ask(str(path))
    except KvzeroError as error:
        if left() <= 0:
            return None
        told = {"outcome": "died", "text": str(error)}
    if told["outcome"] in ("passed", "declined", "unproved"):
        return Seen(path, Verdict(told["outcome"], text=told["text"]))
    if told["outcome"] == "raised":
        return Seen(path, Verdict("unproved", text=f"raised before it reached memory: {told['text']}"))
    process.finish(min(ENDING, left()))
    words = report(log)
    if told["outcome"] == "died" and not words:
        return Seen(path, Verdict("infra", text=told["text"], lost=True))
    return Seen(path, Verdict("finding", "faulted", "memory", text=f"{TOOL}: {words or told['text']}", lost=True))
