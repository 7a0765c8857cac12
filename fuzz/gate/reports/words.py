"""Sentences that a gate's reports share."""

from __future__ import annotations

from fuzz.gate.results import SANITIZE, Decided, Find


def replay(one: Decided, target: str) -> str:
    """The command that shows a find again, on the target of the gate."""
    path = one.finding.path
    sanitize = " --sanitize" if one.check == SANITIZE else ""
    return f"kvzero replay {path} --target {target}{sanitize}" if path else "in no file; kvzero fuzz finds and keeps it"


def where(find: Find) -> str:
    """How many cases of which checks fell into a bucket."""
    counted = [f"{name} {count}" for name, count in find.checks.items() if count]
    return ", ".join(counted) or "met while shrinking"


def of_find(find: Find) -> str:
    """A bucket in one line."""
    return f"{find.shown.standing}: {find.shown.finding.bucket} ({where(find)}): {find.shown.reason}"
