"""A sequence as one case: whose verdict is the sequence's."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from fuzz.verdict import Verdict


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
