"""What the base shows on the corpus and the target does not: the good news of a change, as information."""

from __future__ import annotations

from collections import Counter

from fuzz.case import Case
from fuzz.errors import KvzeroError
from fuzz.gate.ground import Ground
from fuzz.gate.results import Check
from fuzz.verdict import Verdict
from fuzz.waiting import Abandoned

PART = 0.5
"""Of the time left, the most that it takes."""


class Fixed:
    """Runs the corpus on the base, and what is found there on the target once more."""

    name = "fixed"

    def __call__(self, ground: Ground) -> Check:
        """Nothing of it blocks: where time or workers end it, it tells of fewer files."""
        if ground.base.trouble:
            return Check(self.name, "left out", ground.base.trouble)
        fixed: Counter[str] = Counter()
        until = ground.share(PART)
        done = 0
        for entry in ground.files:
            if ground.control.elapsed > until:
                break
            shown = ground.base.verdict(entry.case, entry.path)
            if shown is None:
                break
            try:
                mended = shown.outcome == "finding" and not _shows(ground, entry.case, shown)
            except (KvzeroError, Abandoned):
                break
            if mended:
                fixed[shown.label()] += 1
            done += 1
        told = ", ".join(f"{label} in {count}" for label, count in sorted(fixed.items()))
        words = f"the base shows what the target does not: {told}" if told else "the base shows nothing else"
        return Check(self.name, "information", f"on {done} of {len(ground.files)} files {words}", done=done)


def _shows(ground: Ground, case: Case, shown: Verdict) -> bool:
    """Whether the target shows the same, or says nothing: what it declines or leaves unproved is not fixed.

    Raises:
        KvzeroError: if no worker runs it.
        Abandoned: if there is no time for it.
    """
    verdict = ground.hands.attempt(case, ground.target)
    return verdict.outcome != "passed" and (verdict.outcome != "finding" or verdict.label() == shown.label())
