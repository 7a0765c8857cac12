"""Whether a fixed number of cases passes: the first of an enumeration, or those of a seed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from fuzz import messages
from fuzz.case import Origin
from fuzz.gate.checks.states import ended
from fuzz.gate.deciding import decided
from fuzz.gate.events import FindDecided
from fuzz.gate.ground import Ground
from fuzz.gate.results import Check, Decided, Finding
from fuzz.grids import largest
from fuzz.lane import BATCH_SECONDS
from fuzz.simplicity import order
from fuzz.verdict import Bucket


class Gathered:
    """The finds of a stretch, of each bucket the simplest case, whichever came first.

    Args:
        ground: names the buckets.
        seed: of the stretch.

    Attributes:
        attempts: those that showed a label.
    """

    def __init__(self, ground: Ground, seed: int) -> None:
        self._ground = ground
        self._seed = seed
        self._best: dict[Bucket, messages.Found] = {}
        self.attempts: defaultdict[str, set[int]] = defaultdict(set)

    def __call__(self, found: messages.Found) -> None:
        """Note a find; trouble of ours is counted elsewhere."""
        if found.verdict.outcome != "finding":
            return
        bucket = self._ground.bucket(found.verdict)
        self.attempts[found.verdict.label()].add(found.attempt)
        best = self._best.get(bucket)
        if best is None or (order(found.case), found.attempt) < (order(best.case), best.attempt):
            self._best[bucket] = found

    @property
    def findings(self) -> list[Finding]:
        """One a bucket."""
        return [self._finding(bucket, found) for bucket, found in self._best.items()]

    def _finding(self, bucket: Bucket, found: messages.Found) -> Finding:
        origin = Origin("fuzz", seed=self._seed, index=found.attempt, profile=found.profile)
        return Finding(
            bucket, replace(found.case, origin=origin), found.verdict, found.profile, len(self.attempts[bucket.label])
        )


class Share(NamedTuple):
    """Parts of the time left that a stretch runs for at most.

    Attributes:
        found: once it found something, which takes time to decide.
        nothing: for as long as it did not.
    """

    found: float
    nothing: float


def as_decided(one: Decided) -> Decided:
    """A find means what was decided of it."""
    return one


def drawn(
    ground: Ground,
    name: str,
    profiles: tuple[str, ...],
    seed: int,
    cases: int,
    share: Share,
    means: Callable[[Decided], Decided] = as_decided,
) -> Check:
    """A check of so many cases.

    Args:
        ground: what to work with.
        name: of the check.
        profiles: what draws them.
        seed: decides them.
        cases: how many.
        share: of the time left, for running them.
        means: what a find that was decided means to this check, before anybody is told of it.
    """
    request = messages.Batch(seed, profiles, ground.unit, 0, cases, BATCH_SECONDS)
    gathered = Gathered(ground, seed)
    found, nothing = map(ground.share, share)
    stretch = ground.hands.stretch(request, lambda: found if gathered.attempts else nothing, gathered)
    ground.grids = largest((ground.grids, stretch.grids))
    judged = decided(
        ground, name, gathered.findings, lambda label: ground.base.meets(label, request, gathered.attempts[label])
    )
    meant = [means(one) for one in judged]
    for one in meant:
        ground.tell(FindDecided(one))
    return ended(name, stretch.done, cases, stretch.counts, meant, trouble=stretch.trouble)
