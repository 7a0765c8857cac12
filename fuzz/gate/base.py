"""What the base shows: on one case, or anywhere in the cases that a check ran on the target."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property
from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from fuzz import messages, revisions
from fuzz.case import Case
from fuzz.errors import KvzeroError
from fuzz.verdict import Verdict
from fuzz.waiting import Abandoned


class Worker(Protocol):
    """Whoever runs the base."""

    def open(self) -> messages.Opened:
        """Wait until it is loaded."""

    def attempt(self, case: Case, target: str, *, rehearse: bool = False) -> Verdict:
        """Run one case."""

    def tried(self, case: Case, target: str, *, rehearse: bool = False) -> messages.Tried:
        """Run one case, and tell more of it."""

    def batch(self, request: messages.Batch, on_found: Callable[[messages.Found], None]) -> messages.BatchDone:
        """Run a batch."""


class Base:
    """The base of a gate, or the reason why there is none.

    Args:
        locator: the base, or None if none was named.
        worker: runs it.
        left: seconds that the gate has left.
    """

    def __init__(self, locator: str | None, worker: Worker | None, left: Callable[[], float | None]) -> None:
        self._locator = locator
        self._worker = worker
        self._left = left
        self._files: dict[Path, Verdict] = {}

    @cached_property
    def opened(self) -> messages.Opened | str:
        """What its worker told, or why it cannot be built."""
        if self._worker is None:
            return "no base was named"
        try:
            return self._worker.open()
        except KvzeroError as error:
            return f"the base cannot be built: {error}"

    @property
    def trouble(self) -> str | None:
        """Why there is nothing to compare with, in words; None if there is a base."""
        return self.opened if isinstance(self.opened, str) else None

    @property
    def is_new(self) -> bool:
        """Whether there is none because its revision does not have the file yet.

        Raises:
            UsageError: if there is no such revision.
        """
        return self.trouble is not None and self._locator is not None and revisions.is_new(self._locator)

    def verdict(self, case: Case, file: Path | None = None) -> Verdict | None:
        """What becomes of a case on the base; None if that cannot be found out.

        Args:
            case: the case.
            file: the corpus file that it is, if it is one; each is run once, whichever checks ask for it.
        """
        if file in self._files:
            return self._files[file]
        if self._worker is None or self.trouble or not self._time:
            return None
        try:
            verdict = self._worker.attempt(case, self._locator or "")
        except (KvzeroError, Abandoned):
            return None
        if file:
            self._files[file] = verdict
        return verdict

    def label(self, case: Case, file: Path | None = None) -> str | None:
        """The same in a word."""
        verdict = self.verdict(case, file)
        return verdict.label() if verdict else None

    def rehearsed(self, case: Case) -> messages.Tried | None:
        """What the base does of a case where none of its legal launches is run; None if that cannot be found out."""
        if self._worker is None or self.trouble or not self._time:
            return None
        try:
            return self._worker.tried(case, self._locator or "", rehearse=True)
        except (KvzeroError, Abandoned):
            return None

    def meets(self, label: str, request: messages.Batch, attempts: Collection[int]) -> bool | None:
        """Whether the base shows a label on one of some attempts of a stretch, or on any if none are named.

        None if that cannot be found out in time.
        """
        if self._worker is None or self.trouble:
            return False
        shown: list[int] = []

        def seen(found: messages.Found) -> None:
            if found.verdict.label() == label and (not attempts or found.attempt in attempts):
                shown.append(found.attempt)

        while request.first < request.stop and not shown:
            if not self._time:
                return None
            try:
                done = self._worker.batch(request, seen)
            except (KvzeroError, Abandoned):
                return None
            if done.following <= request.first:
                return None
            request = replace(request, first=done.following)
        return bool(shown)

    @property
    def _time(self) -> bool:
        left = self._left()
        return left is None or left > 0.0
