"""The shapes of cases that the search draws: one file a profile.

Each has ``build(source, unit)`` and, right below it, ``trace(case, unit)``, its inverse: the choices
that make ``build`` draw the case again. Bounds are device limits and round numbers, never a target's
constants or a geometry of the past.
"""

from typing import Protocol

from fuzz.case import Case
from fuzz.profiles import far, hostile, launch, order, small
from fuzz.source import Source


class Profile(Protocol):
    """A profile's two functions, each the other's inverse."""

    def build(self, source: Source, unit: int) -> Case:
        """Draw a case whose sizes are multiples of ``unit`` bytes."""

    def trace(self, case: Case, unit: int) -> list[int]:
        """The choices that make ``build`` draw the case, or ``Untraceable``."""


BY_NAME: dict[str, Profile] = {"small": small, "launch": launch, "far": far, "hostile": hostile, "order": order}

DEFAULT = ("small", "launch", "far")
