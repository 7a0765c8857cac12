"""Whether every case of the corpus passes: history's and accepted finds, whoever showed them."""

from __future__ import annotations

import time
from collections import Counter

from fuzz.corpus import Entry
from fuzz.errors import KvzeroError
from fuzz.gate.checks.states import ended
from fuzz.gate.deciding import decided
from fuzz.gate.events import FileTried
from fuzz.gate.ground import Ground
from fuzz.gate.results import Check, Decided, Finding
from fuzz.waiting import Abandoned


class CorpusFiles:
    """Runs each file; a file's own ``finds`` excuse nothing, only the base does."""

    name = "corpus"

    def __call__(self, ground: Ground) -> Check:
        """Run them in the order of their names."""
        counts: Counter[str] = Counter()
        found: list[Decided] = []
        trouble = ""
        for entry in ground.files:
            if ground.control.interrupted:
                break
            try:
                outcome, one = self._tried(ground, entry)
            except Abandoned:
                break
            except KvzeroError as error:
                trouble = str(error)
                break
            counts[outcome] += 1
            found += one
        return ended(self.name, sum(counts.values()), len(ground.files), counts, found, trouble=trouble)

    def _tried(self, ground: Ground, entry: Entry) -> tuple[str, list[Decided]]:
        begun = time.monotonic()
        verdict = ground.hands.attempt(entry.case, ground.target)
        seconds = time.monotonic() - begun
        shown: list[Decided] = []
        if verdict.outcome == "finding":
            finding = Finding(ground.bucket(verdict), entry.case, verdict, "", 1, entry.path)
            shown = decided(ground, self.name, [finding], lambda label: _elsewhere(ground, label))
        one = shown[0] if shown else None
        ground.tell(FileTried(entry.path, verdict.label(), verdict.outcome, seconds, verdict.text, one))
        return verdict.outcome, shown


def _elsewhere(ground: Ground, label: str) -> bool | None:
    """Whether the base shows a label on any file."""
    for entry in ground.files:
        shown = ground.base.label(entry.case, entry.path)
        if shown is None:
            return None
        if shown == label:
            return True
    return False
