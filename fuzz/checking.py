"""Cases on targets from inside a test process: one worker, verdicts, and reports in words."""

from __future__ import annotations

import inspect
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fuzz import corpus as corpora
from fuzz import messages
from fuzz.case import Case
from fuzz.errors import UsageError
from fuzz.profiles import fitting
from fuzz.reports.page_map import page_map
from fuzz.supervisor import Crew
from fuzz.verdict import Verdict

SEED = 0
"""A test's search draws the same cases every time."""

BATCH_SECONDS = 0.5


class Checker:
    """A worker with some targets loaded, until it is closed.

    Args:
        targets: locators.
        engine: engine by name, or None for the best there is.
        device_profile: launch limits by name, or None for the engine's own.
    """

    def __init__(self, targets: tuple[str, ...], engine: str | None = None, device_profile: str | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="kvzero-")
        opening = messages.Open(targets, engine, device_profile, "")
        self._crew = Crew(opening, Path(self._folder.name), standbys=0)
        self._targets = targets

    def opened(self) -> messages.Opened:
        """What the worker runs on; waits for it.

        Raises:
            KvzeroError: what is wrong with engine or targets.
        """
        return self._crew.open()

    def attempt(self, case: Case, target: str, *, rehearse: bool = False) -> Verdict:
        """The verdict of one case."""
        return self._crew.attempt(case, target, rehearse=rehearse)

    def problem(self, corpus: Path | None, seconds: float) -> str | None:
        """The report of the first contract case that a target fails; None if there is none.

        A check that proves nothing, because every case was declined or unproved, is a problem too.

        Args:
            corpus: the folder of cases, or None for the shipped one.
            seconds: time for a search after them.

        Raises:
            CorpusError: if the folder is missing or empty.
        """
        passed = 0
        for entry in corpora.checked(corpus or corpora.shipped()):
            if entry.case.domain == "hostile":
                continue
            for target in self._targets:
                verdict = self.attempt(entry.case, target)
                if verdict.outcome in ("finding", "infra"):
                    return f"{entry.path}\n{page_map(entry.case, target, verdict)}"
                passed += verdict.outcome == "passed"
        found, more = self._search(seconds)
        if found is not None:
            return page_map(found.case, found.target, found.verdict)
        return None if passed + more else "no case was proved: all were declined, or are beyond this engine"

    def close(self) -> None:
        """End the worker."""
        self._crew.close()
        self._folder.cleanup()

    def _search(self, seconds: float) -> tuple[messages.Found | None, int]:
        """The first find of a search, and how many cases passed before it."""
        found: list[messages.Found] = []
        following = passed = 0
        profiles = fitting((), self.opened().takes)
        unit = min(self.opened().units.values())
        until = time.monotonic() + seconds
        while not found and (left := until - time.monotonic()) > 0:
            batch = messages.Batch(SEED, profiles, unit, following, messages.NO_STOP, min(left, BATCH_SECONDS))
            done = self._crew.batch(batch, found.append)
            following, passed = done.following, passed + done.counts.get("passed", 0)
        return (found[0] if found else None), passed


def locator(target: str | Callable[..., Any]) -> str:
    """The locator of a target, also of a function in an importable file.

    Raises:
        UsageError: if a worker could not find it again.
    """
    if isinstance(target, str):
        return target
    name = getattr(target, "__qualname__", "")
    file = inspect.getsourcefile(target) if callable(target) else None
    if not file or not name.isidentifier():
        raise UsageError(f"target={target!r}: must be a locator or a function at the top of a file")
    return f"{file}:{name}"
