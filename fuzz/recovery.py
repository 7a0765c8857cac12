"""What an earlier run left in flight when it was killed: named, replayed, and only then forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fuzz import flight
from fuzz.campaign import Campaign
from fuzz.codec import encode
from fuzz.errors import UsageError
from fuzz.events import Subscriber, Warned
from fuzz.hands import Hands
from fuzz.plan import Plan
from fuzz.supervisor import Crew
from fuzz.verdict import RIGHT


def recover(plan: Plan, slots: Path, campaign: Campaign, hands: Hands, tell: Subscriber) -> None:
    """Replay each case that a dead worker left in its slot.

    A finding on one of the plan's targets is booked like any other. A slot whose target cannot be
    loaded any more stays where it is.

    Args:
        plan: the run that starts now.
        slots: the folder of flight slots.
        campaign: books what is found.
        hands: have the plan's targets loaded.
        tell: told which case it was and what came of it.
    """
    for path, in_flight in flight.abandoned(slots):
        which = f"this case was in flight on {in_flight[0].target}; replaying it\n{encode(in_flight[0].case)}"
        if len(in_flight) > 1:
            which = f"{len(in_flight)} cases were in flight together; replaying them one by one"
        tell(Warned(f"an earlier run was killed while {which}"))
        try:
            for running in in_flight:
                target, case = running.target, running.case
                with _loaded(target, plan, slots, hands) as one:
                    verdict = one.attempt(case, target)
                if len(in_flight) == 1 or verdict.outcome not in RIGHT:
                    tell(Warned(f"the case in flight: {verdict.label()} {verdict.text}".rstrip()))
                if verdict.outcome == "finding" and target in plan.targets:
                    campaign.book.met(case, target, running.profile, verdict, count=0)
        except UsageError as error:
            tell(Warned(f"what was in flight stays in {path}: {error}"))
            continue
        path.unlink(missing_ok=True)


@contextmanager
def _loaded(target: str, plan: Plan, slots: Path, hands: Hands) -> Iterator[Hands]:
    """A crew that has the target: the run's own, or one for it alone."""
    if target in plan.targets:
        yield hands
        return
    other = Crew(plan.opening(target), slots, standbys=0)
    try:
        other.open()
        yield other
    finally:
        other.close()
