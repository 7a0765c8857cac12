"""The search as a user runs it: its source, its batches, its patience."""

from __future__ import annotations

from fuzz import messages
from fuzz.bench.finders.in_batches import NO_LIMIT, in_batches
from fuzz.bench.finders.search import First, Stand
from fuzz.guided.guide import Guide

AT_ONCE = 32
"""Most attempts between two looks at what was found."""


def find(stand: Stand, seed: int, most: int) -> First:
    """What is drawn by turns of the subject's profiles, with the pools of that seed."""
    profiles = stand.subject.profiles
    guide = Guide(seed, profiles, stand.unit)

    def request(start: int, stop: int) -> messages.Batch:
        epoch = guide.at(start)
        return messages.Batch(seed, profiles, stand.unit, start, min(stop, epoch.stop), NO_LIMIT, pool=epoch.pool)

    return in_batches(stand, most, AT_ONCE, request)
