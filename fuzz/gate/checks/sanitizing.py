"""Whether the corpus keeps to its allocations: each case with storages of their own, below compute-sanitizer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from fuzz.errors import KvzeroError
from fuzz.gate.checks.states import ended
from fuzz.gate.deciding import excused
from fuzz.gate.events import FindDecided
from fuzz.gate.ground import Ground
from fuzz.gate.results import SANITIZE, Check, Decided, Finding, Standing
from fuzz.sanitizer import Seen

Sanitized = Callable[[str, Sequence[Path]], Iterable[Seen]]
"""Runs case files on a target below the tool, as many as there is time for."""


class SanitizeCheck:
    """Runs the corpus below memcheck; a find is old if the base shows it on the same file.

    Args:
        sanitized: runs files on a target.
    """

    name = SANITIZE

    def __init__(self, sanitized: Sanitized) -> None:
        self._sanitized = sanitized

    def __call__(self, ground: Ground) -> Check:
        """Run them in the order of their names, what they show on the base at the end."""
        if ground.takes != "table":
            return Check(self.name, "left out", f"the target takes a {ground.takes}; tables are laid out one by one")
        cases = {entry.path: entry.case for entry in ground.files}
        counts: Counter[str] = Counter()
        lost: list[Seen] = []
        trouble = ""
        try:
            for seen in self._sanitized(ground.target, list(cases)):
                counts[seen.verdict.outcome] += 1
                lost += [seen] if seen.verdict.outcome == "finding" else []
        except KvzeroError as error:
            trouble = str(error)
        found = []
        for seen in lost:
            bucket = ground.bucket(seen.verdict)
            finding = Finding(bucket, cases[seen.path], seen.verdict, "", 1, seen.path)
            standing, reason = excused(ground, bucket, *self._standing(ground, seen))
            found.append(Decided(finding, self.name, standing, reason))
            ground.tell(FindDecided(found[-1]))
        return ended(self.name, sum(counts.values()), len(cases), counts, found, trouble=trouble)

    def _standing(self, ground: Ground, seen: Seen) -> tuple[Standing, str]:
        base = ground.request.base
        if base is None or ground.base.trouble:
            return "new", (ground.base.trouble or "no base was named").partition(":")[0]
        try:
            shown = [one.verdict for one in self._sanitized(base, [seen.path])]
        except KvzeroError:
            shown = []
        if not shown:
            return "undecided", "the base could not be run on it in time"
        if shown[0].label() == seen.verdict.label():
            return "old", "the base shows it on the same case"
        return "new", f"on the same case the base's outcome is {shown[0].label()}"
