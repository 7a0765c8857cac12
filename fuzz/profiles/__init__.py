"""The shapes of cases that the search runs: one file a profile.

Most are drawn. Each of those has ``build(source, unit)`` and, right below it, ``trace(case, unit)``, its
inverse: the choices that make ``build`` draw the case again. Enumerated ones have ``size(unit)`` and
``case(index, unit)``. Bounds are device limits and round numbers, never a target's constants or a geometry
of the past.
"""

from collections.abc import Mapping
from typing import Protocol

from fuzz.case import Case
from fuzz.errors import UsageError
from fuzz.profiles import exhaustive, far, hostile, launch, layout, order, small
from fuzz.source import Source


class Profile(Protocol):
    """A profile's two functions, each the other's inverse."""

    def build(self, source: Source, unit: int) -> Case:
        """Draw a case whose sizes are multiples of ``unit`` bytes."""

    def trace(self, case: Case, unit: int) -> list[int]:
        """The choices that make ``build`` draw the case, or ``Untraceable``."""


class Enumerated(Protocol):
    """The two functions of a profile whose cases are numbered instead of drawn."""

    def size(self, unit: int) -> int:
        """How many cases there are."""

    def case(self, index: int, unit: int) -> Case:
        """The case of a number below the size."""


BY_NAME: dict[str, Profile] = {
    "small": small, "launch": launch, "far": far, "hostile": hostile, "layout": layout, "order": order,
}  # fmt: skip
"""Profiles that are drawn."""

ENUMERATED: dict[str, Enumerated] = {"exhaustive": exhaustive}
"""Profiles that come to an end: a run of one has that profile alone."""

NAMES = (*BY_NAME, *ENUMERATED)

OF_LAYOUTS = ("layout",)
"""Profiles whose cases have layers; the others have segments."""

DEFAULT = ("small", "launch", "far")


def fitting(profiles: tuple[str, ...], takes: Mapping[str, str]) -> tuple[str, ...]:
    """The profiles of a run, those named or the usual ones for what its targets take.

    Args:
        profiles: profiles that were asked for; none for the usual ones.
        takes: what each target takes, ``table`` or ``layout``.

    Raises:
        UsageError: if a target cannot take a profile's cases, or an enumerated one is to take turns.
    """
    for name in profiles:
        if name in ENUMERATED and len(profiles) > 1:
            others = ", ".join(other for other in profiles if other != name)
            raise UsageError(f"profile={name!r}: runs to its end and takes no turns; run it without {others}")
    usual = OF_LAYOUTS if set(takes.values()) == {"layout"} else DEFAULT
    for name in profiles or usual:
        wanted = "layout" if name in OF_LAYOUTS else "table"
        for target, taken in takes.items():
            if taken != wanted:
                fit = ", ".join(other for other in NAMES if (other in OF_LAYOUTS) == (taken == "layout"))
                raise UsageError(f"profile={name!r}: target {target} takes a {taken}; its profiles are {fit}")
    return profiles or usual


def bound(profiles: tuple[str, ...], unit: int) -> int | None:
    """How many cases the profiles of a run have in all; None without an end."""
    return ENUMERATED[profiles[0]].size(unit) if profiles and profiles[0] in ENUMERATED else None
