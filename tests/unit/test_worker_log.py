"""A worker's output: bounded on disk, its last words kept."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from fuzz import worker_log
from fuzz.worker_log import WorkerLog


def test_a_target_that_prints_all_day_does_not_fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes on being written after a cut starts at the new end, not behind a hole."""
    monkeypatch.setattr(worker_log, "MOST", 10_000)
    log = WorkerLog()
    script = (
        "import sys\nfor number in range(2000): print(f'line {number}')\nsys.stdout.flush(); input()\nprint('the end')"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=log.fileno()) as process:
        while "line 1999" not in log.last_words():
            assert process.poll() is None
        assert os.fstat(log.fileno()).st_size > 10_000
        log.trim()
        assert os.fstat(log.fileno()).st_size == worker_log.LAST
        process.communicate(b"\n")
    assert log.last_words() == "its last words: line 1998 | line 1999 | the end"
    assert os.fstat(log.fileno()).st_size == worker_log.LAST + len("the end\n")
    log.close()


def test_a_short_log_is_left_alone() -> None:
    """Nothing is cut that is not too much, and silence is said."""
    log = WorkerLog()
    assert log.last_words() == "it said nothing"
    os.write(log.fileno(), b"word\n")
    log.trim()
    assert log.last_words() == "its last words: word"
    log.close()
