"""Waiting for a worker: beat by beat, until it has answered or whoever waits gives it up."""

from __future__ import annotations

BEAT = 0.05
"""Seconds between two looks of whoever waits."""


class Abandoned(Exception):  # noqa: N818 - wanted, not an error
    """Whoever waited for a worker gave it up, and the worker was ended."""


def never() -> bool:
    """Wait for a worker as long as it takes."""
    return False
