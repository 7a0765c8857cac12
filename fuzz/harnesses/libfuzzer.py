"""Atheris in a process of its own: its options, what its lines say, and how it is ended."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.control import Control

HERE = Path(__file__).parent
SLOW = 20
"""Seconds after which libFuzzer takes an input for one that hangs; the slowest takes a fraction of one."""

LATE = 60.0
"""Seconds beyond its time after which the process is ended; it needs some for imports and for the last input."""

AT_ONCE = 5.0
"""Seconds that the process has to end by itself when it is asked to."""

LINES = 400
"""Last lines that are kept: the traceback of a find is among them."""

SHOWN = 12
"""Last lines that are shown where no exception was raised."""

_STATUS = re.compile(r"#(\d+)\s+\w+\s+cov: (\d+)")
_STATISTIC = re.compile(r"stat::(number_of_executed_units|average_exec_per_sec): +(\d+)")
_UNCAUGHT = "=== Uncaught Python exception: ==="
_AFTER = re.compile(r"==\d+== ?ERROR")


@dataclass
class Seen:
    """What the process has said so far."""

    executions: int = 0
    rate: int = 0
    edges: int = 0
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=LINES))

    def read(self, line: str) -> None:
        """Take in one line."""
        status, statistic = _STATUS.match(line), _STATISTIC.match(line)
        if status:
            self.executions, self.edges = int(status[1]), int(status[2])
        elif statistic and statistic[1] == "average_exec_per_sec":
            self.rate = int(statistic[2])
        elif statistic:
            self.executions = int(statistic[2])
        else:
            self.lines.append(line)

    def last_words(self) -> str:
        """The traceback of the last input if there is one, else the last lines."""
        said = list(self.lines)
        if f" {_UNCAUGHT}" in said:
            said = said[said.index(f" {_UNCAUGHT}") + 1 :]
            end = next((number for number, line in enumerate(said) if _AFTER.match(line)), len(said))
            said = said[:end]
        else:
            said = said[-SHOWN:]
        return "\n".join(said).strip() + "\n"


@dataclass(frozen=True)
class Folders:
    """Where inputs are read and written: those that evolve, the seeds, and artifacts of finds."""

    inputs: Path
    seeds: Path
    artifacts: Path
    words: Path


def run(
    name: str, folders: Folders, seconds: float, seed: int | None, control: Control, tell: Callable[[Seen], None]
) -> tuple[Seen, int]:
    """Run a harness until its time is over, a find or a signal ends it.

    Args:
        name: the harness.
        folders: all exist; ``words`` is a file of libFuzzer's dictionary form, or none is there.
        seconds: how long.
        seed: decides mutations, or None for a drawn one.
        control: asked whether a signal came.
        tell: called now and then with what was seen so far.

    Returns:
        What the process said, and its exit code.
    """
    command = [sys.executable, "-P", str(HERE / f"fuzz_{name}.py"), *_options(folders, seconds, seed)]
    root = str(HERE.parent.parent)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))}
    seen = Seen()
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
        env=environment,
        start_new_session=True,
    ) as process:
        reader = threading.Thread(target=_read, args=(process.stdout or (), seen), daemon=True)
        reader.start()
        try:
            _watch(process, time.monotonic() + seconds + LATE, control, lambda: tell(seen))
        finally:
            _end(process)
        reader.join()
        return seen, process.returncode


def _options(folders: Folders, seconds: float, seed: int | None) -> list[str]:
    options = {
        "max_total_time": max(math.ceil(seconds), 1),
        "artifact_prefix": f"{folders.artifacts}/",
        "dict": folders.words if folders.words.exists() else None,
        "timeout": SLOW,
        "print_final_stats": 1,
        "seed": None if seed is None else seed % 2**32 or 1,
    }
    given = [f"-{key}={value}" for key, value in options.items() if value is not None]
    return [str(folders.inputs), str(folders.seeds), *given]


def _read(lines: Iterable[str], seen: Seen) -> None:
    for line in lines:
        seen.read(line.rstrip("\n"))


def _watch(process: subprocess.Popen[str], latest: float, control: Control, tell: Callable[[], None]) -> None:
    while process.poll() is None and not control.interrupted and time.monotonic() < latest:
        try:
            process.wait(0.2)
        except subprocess.TimeoutExpired:
            tell()


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(AT_ONCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
