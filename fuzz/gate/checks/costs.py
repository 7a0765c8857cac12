"""What the target costs against its base on a GPU.

Over a limit that was named it blocks; a target that clears what is timed wrongly blocks with or without one.
"""

from __future__ import annotations

from collections.abc import Callable

from fuzz.bench.geometries import FIXED
from fuzz.bench.pair import Pair
from fuzz.errors import KvzeroError
from fuzz.gate.cost import Cost, cost
from fuzz.gate.ground import Ground
from fuzz.gate.results import Check, State

NEEDS_A_GPU = "unproved: needs a GPU"

LATE: tuple[str, State] = ("time was up", "cut short")

Pairs = Callable[[float], tuple[list[Pair], list[str], list[str]]]
"""Times target and base within so many seconds: pairs, geometries that the target clears wrongly, what is missing."""


class CostCheck:
    """Holds the cost of a target against a limit.

    Args:
        limit: per cent of the base's device time that the target may take more; None: information only.
        pairs: times the two; None where there is no base.
    """

    name = "cost"

    def __init__(self, limit: float | None, pairs: Pairs | None) -> None:
        self._limit = limit
        self._pairs = pairs

    def __call__(self, ground: Ground) -> Check:
        """Time them, if there is a GPU, a base, and targets that take tables."""
        if ground.opened.engine != "cuda":
            return Check(self.name, "left out", NEEDS_A_GPU)
        if ground.takes != "table":
            return self._unmeasured(f"the target takes a {ground.takes}; tables are timed", "nothing proved")
        if self._pairs is None or ground.base.trouble:
            words = ground.base.trouble or "no base was named"
            return self._unmeasured(words, "left out" if ground.base.is_new else "nothing proved")
        left = ground.control.left
        if not left:
            return self._unmeasured(*LATE)
        try:
            pairs, wrong, missing = self._pairs(left)
        except KvzeroError as error:
            return self._unmeasured(*(LATE if ground.control.interrupted else (str(error), "trouble")))
        if wrong:
            return Check(self.name, "failed", f"the target clears geometry {', '.join(wrong)} wrongly")
        if not pairs:
            words = "; ".join(missing) or "no fixed geometry is within the limits of both"
            return self._unmeasured(words, "nothing proved")
        found = cost(pairs)
        words = "; ".join([in_words(found), *self._less(pairs), *missing])
        state, reason = self._judged(found)
        return Check(self.name, state, reason + words, done=len(pairs), of=len(pairs))

    def _judged(self, found: Cost) -> tuple[State, str]:
        if self._limit is None:
            return "information", ""
        limit = self._limit / 100
        if found.low > limit:
            return "failed", f"costs more than {self._limit:g} %: "
        if found.more > limit:
            return "nothing proved", f"costs more than {self._limit:g} %, but the spread reaches below that: "
        return "passed", ""

    def _unmeasured(self, words: str, state: State) -> Check:
        """It blocks only where a limit was named."""
        return Check(self.name, "left out" if self._limit is None else state, f"was not measured: {words}")

    @staticmethod
    def _less(pairs: list[Pair]) -> list[str]:
        return [f"{len(pairs)} of {len(FIXED)} geometries"] if len(pairs) < len(FIXED) else []


def in_words(found: Cost) -> str:
    """Device time over the base's, with its interval, by geometry; programs for each useful chunk."""
    by_geometry = ", ".join(f"{name} {_percent(more)}" for name, more in found.geometries.items())
    target, base = found.programs
    return (
        f"device time {_percent(found.more)} of the base's ({_percent(found.low)} to {_percent(found.high)}): "
        f"{by_geometry}; {target:.2f} programs for each useful chunk, the base's {base:.2f}"
    )


def _percent(more: float) -> str:
    return f"{100 * more:+.1f} %"
