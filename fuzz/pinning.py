"""What a plan leaves open: decided by the run's first worker, and pinned in its journal.

A resume must not draw or judge other cases than the run that it goes on with, whatever machine it is on.
"""

from __future__ import annotations

import dataclasses

from fuzz import messages
from fuzz.devices import usual_workers
from fuzz.journal import Journal
from fuzz.plan import Plan
from fuzz.profiles import bound, fitting


def decided(plan: Plan, opened: messages.Opened, *, alone: bool) -> Plan:
    """The plan with profiles, unit and workers, and no more cases than its profiles have.

    Args:
        plan: the run.
        opened: what its first worker told.
        alone: whether one worker searches unless the plan says otherwise.

    Raises:
        UsageError: if a target cannot take a profile's cases.
    """
    profiles, unit = fitting(plan.profiles, opened.takes), plan.unit or min(opened.units.values())
    return dataclasses.replace(
        plan,
        profiles=profiles,
        unit=unit,
        cases=min(filter(None, (plan.cases, bound(profiles, unit))), default=None),
        workers=plan.workers or (1 if alone else usual_workers(opened)),
    )


def facts(plan: Plan, opened: messages.Opened) -> dict[str, object]:
    """What a journal keeps of a decided plan."""
    return {
        "engine": opened.engine,
        "device_profile": opened.device_profile,
        "profiles": ",".join(plan.profiles),
        "unit": plan.unit,
    }


def pinned(plan: Plan, journal: Journal) -> Plan:
    """The plan as an earlier part of the run decided it; as it is if none came so far.

    Raises:
        JournalError: if the journal cannot be read.
    """
    if not journal.fact("engine"):
        return plan
    return dataclasses.replace(
        plan,
        engine=journal.fact("engine"),
        device_profile=journal.fact("device_profile"),
        profiles=tuple((journal.fact("profiles") or "").split(",")),
        unit=int(journal.fact("unit") or 0),
    )
