"""Who runs candidates and replays, and how a shrinker asks them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from fuzz.case import Case
from fuzz.shrink.trial import Attempt, OutOfBudget
from fuzz.verdict import Verdict
from fuzz.waiting import Abandoned


class Hands(Protocol):
    """Whoever runs candidates and replays."""

    def attempt(self, case: Case, target: str, *, rehearse: bool = False) -> Verdict:
        """Run one case on one target."""

    def renew(self) -> None:
        """Let the next case run in a fresh process."""


def asking(hands: Hands, target: str, interrupted: Callable[[], bool]) -> Attempt:
    """What a shrinker calls to have a candidate run on a target; once it is interrupted nothing more is."""

    def attempt(case: Case, *, rehearse: bool = False, fresh: bool = False) -> Verdict:
        if interrupted():
            raise OutOfBudget
        try:
            if fresh:
                hands.renew()
            return hands.attempt(case, target, rehearse=rehearse)
        except Abandoned:
            raise OutOfBudget from None

    return attempt
