"""Cases on targets from inside a test process: one worker, verdicts, and reports in words."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fuzz import corpus as corpora
from fuzz import messages
from fuzz.case import Case
from fuzz.errors import UsageError
from fuzz.profiles import DEFAULT
from fuzz.reports.page_map import page_map
from fuzz.supervisor import Crew
from fuzz.verdict import Verdict

SEED = 0
"""A test's search draws the same cases every time."""


class Checker:
    """A worker with some targets loaded, for as long as a test process lives.

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

    def attempt(self, case: Case, target: str) -> Verdict:
        """The verdict of one case."""
        return self._crew.attempt(case, target)

    def problem(self, corpus: Path | None, seconds: float) -> str | None:
        """The report of the first contract case that a target fails; None if there is none.

        Args:
            corpus: the folder of cases, or None for the shipped one.
            seconds: time for a search after them.

        Raises:
            CorpusError: if the folder is missing or empty.
        """
        for entry in corpora.checked(corpus or corpora.shipped()):
            if entry.case.domain == "hostile":
                continue
            for target in self._targets:
                verdict = self.attempt(entry.case, target)
                if verdict.outcome in ("finding", "infra"):
                    return f"{entry.path}\n{page_map(entry.case, target, verdict)}"
        return self._search(seconds) if seconds > 0 else None

    def close(self) -> None:
        """End the worker."""
        self._crew.close()
        self._folder.cleanup()

    def _search(self, seconds: float) -> str | None:
        found: list[messages.Found] = []
        unit = min(self.opened().units.values())
        self._crew.batch(messages.Batch(SEED, DEFAULT, unit, 0, 2**62, seconds), found.append)
        return page_map(found[0].case, found[0].target, found[0].verdict) if found else None


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
