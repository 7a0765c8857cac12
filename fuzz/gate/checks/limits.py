"""Whether the target takes all that its base takes: it must not pass by declining, or by saying less of itself."""

from __future__ import annotations

from collections.abc import Collection

from fuzz import messages
from fuzz.errors import KvzeroError
from fuzz.gate.ground import Ground
from fuzz.gate.results import Check
from fuzz.simplicity import order
from fuzz.waiting import Abandoned
from kvzero.segments import Limits

WIDENING, NARROWING = ("capturable",), ("newer_form",)
"""What a target takes more cases by saying, and what it takes fewer by."""

VIRTUAL = "virtual"
"""What lets a simulator prove more cases; to say it no longer declines none."""

NO_WARMUP = "the base has a warm-up, the target has none: its first calls would compile; give zero an attribute warmup"

UNMADE = ("declined", "unproved")
"""Outcomes of a case that no zeroer was made for: another case may tell."""


class LimitsCheck:
    """Refuses limits narrower than the base's, and a base's warm-up that is gone."""

    name = "limits"

    def __call__(self, ground: Ground) -> Check:
        """Compare them field by field, then what both say of themselves, then whether they warm up."""
        opened = ground.base.opened
        if isinstance(opened, str):
            return Check(self.name, "left out", opened.partition(":")[0])
        (base,) = opened.limits.values()
        (said,) = opened.says.values()
        found = narrower(ground.opened.limits[ground.target], base) + unsaid(ground.opened.says[ground.target], said)
        if found:
            return Check(self.name, "failed", f"limits are narrower than the base's: {', '.join(found)}")
        warmups = _warmups(ground)
        if warmups == (False, True):
            return Check(self.name, "failed", NO_WARMUP)
        words = "as wide as the base's"
        if VIRTUAL in said and VIRTUAL not in ground.opened.says[ground.target]:
            words += "; it does not say virtual, as the base does, so large caches are unproved without a GPU"
        if warmups is None:
            words += "; whether both have a warm-up was not found out"
        return Check(self.name, "passed", words)


def narrower(new: Limits, base: Limits) -> list[str]:
    """Which limits let less through than the base's, in words."""
    found = []
    if new.unit > base.unit:
        found.append(f"unit={new.unit}, the base's is {base.unit}")
    for name in ("segments", "ids", "page"):
        ours, theirs = getattr(new, name), getattr(base, name)
        if ours is not None and (theirs is None or ours < theirs):
            found.append(f"{name}={ours}, the base's is {theirs}")
    if new.uniform and not base.uniform:
        found.append("uniform=True, the base's is False")
    return found


def unsaid(new: Collection[str], base: Collection[str]) -> list[str]:
    """By which words a target is given fewer cases than its base, in words."""
    found = [f"{word}=False, the base's is True" for word in WIDENING if word in base and word not in new]
    return found + [f"{word}=True, the base's is False" for word in NARROWING if word in new and word not in base]


def _warmups(ground: Ground) -> tuple[bool, bool] | None:
    """Whether target and base have a warm-up, on the simplest corpus file that both take; None if nobody tells."""
    for entry in sorted(ground.files, key=lambda entry: (order(entry.case), entry.path.name)):
        try:
            ours = ground.hands.rehearsed(entry.case, ground.target)
        except (KvzeroError, Abandoned):
            return None
        theirs = None if _unmade(ours) else ground.base.rehearsed(entry.case)
        if _unmade(ours) or (theirs and _unmade(theirs)):
            continue
        if theirs is None or ours.warmup is None or theirs.warmup is None:
            return None
        return ours.warmup, theirs.warmup
    return None


def _unmade(tried: messages.Tried) -> bool:
    return tried.warmup is None and tried.verdict.outcome in UNMADE
