"""From a source to a case, and back: ``build`` draws everything, ``trace`` is its inverse."""

from __future__ import annotations

from msgspec.structs import replace

from fuzz.case import Case
from fuzz.profiles import BY_NAME, ENUMERATED
from fuzz.source import Recorder, Source, Untraceable

WARM_EVERY = 16
"""One case in so many of each profile runs the target's warm-up; on the others it would cost time alone."""


def build(source: Source, profile: str, unit: int = 4) -> Case:
    """Draw one case of a profile; sizes are multiples of ``unit`` bytes, often of more."""
    return BY_NAME[profile].build(source, unit)


def trace(case: Case, profile: str, unit: int = 4) -> list[int]:
    """The choices that make ``build`` draw this case again.

    Raises:
        Untraceable: if the profile never draws such a case.
    """
    if case.sequence:
        raise Untraceable("a sequence is drawn by no profile")
    if case.overlaps != (profile == "order"):
        raise Untraceable("calls in flight together are drawn by profile order alone, and it draws nothing else")
    return BY_NAME[profile].trace(case, unit)


def numbered(seed: int, index: int, profiles: tuple[str, ...], unit: int = 4) -> tuple[Case, str]:
    """Case ``index`` of a run and its profile: profiles take turns by index, never by time.

    An enumerated profile takes none, and no seed decides its cases.

    So do cases with a warm-up and those without: that is no draw, or each find would be shrunk by it.
    """
    turn, place = divmod(index, len(profiles))
    profile = profiles[place]
    if profile in ENUMERATED:
        case = ENUMERATED[profile].case(index, unit)
    else:
        case = build(Recorder((seed << 40) + index), profile, unit)
    return (replace(case, cold=True) if turn % WARM_EVERY else case), profile
