"""A sequence as one case: which of its cases fly together, and whose verdict is the sequence's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from fuzz.batch_arena import ROOM, needed
from fuzz.flight import InFlight
from fuzz.layout import total
from fuzz.verdict import Verdict


def rooms(members: Iterable[InFlight]) -> Iterator[list[InFlight]]:
    """The members in order, as many at a time as fit into a batch's arena."""
    group: list[InFlight] = []
    taken = 0
    for one in members:
        size = needed(total(one.case))
        if group and taken + size > ROOM:
            yield group
            group, taken = [], 0
        group.append(one)
        taken += size
    if group:
        yield group


def first_shown(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict of a sequence: its first finding, with the index of the case; no more is asked for then.

    Without a finding it is the first trouble of ours, else the first case unproved. A declined case counts as
    passed, unless all of them are declined.
    """
    seen: dict[str, Verdict] = {}
    for index, verdict in enumerate(verdicts):
        shown = replace(verdict, member=index)
        if verdict.outcome == "finding":
            return shown
        seen.setdefault(verdict.outcome, shown)
    if "infra" in seen or "unproved" in seen:
        return seen.get("infra") or seen["unproved"]
    return Verdict("passed") if "passed" in seen else seen["declined"]
