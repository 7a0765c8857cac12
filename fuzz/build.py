"""From a source to a case, and back: ``build`` draws everything, ``trace`` is its inverse."""

from __future__ import annotations

from msgspec.structs import replace

from fuzz.case import Case
from fuzz.guided.pool import EMPTY, Pool
from fuzz.guided.ways import source
from fuzz.profiles import BY_NAME, ENUMERATED, OF_LAYOUTS
from fuzz.sixteens import rounded_up
from fuzz.source import Source, Untraceable

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
    if bool(case.layers) != (profile in OF_LAYOUTS):
        raise Untraceable("layers are drawn by the profiles of layouts alone, and these draw nothing else")
    if case.overlaps != (profile == "order"):
        raise Untraceable("calls in flight together are drawn by profile order alone, and it draws nothing else")
    return BY_NAME[profile].trace(case, unit)


def drawn(seed: int, index: int, profiles: tuple[str, ...], unit: int = 4, pool: Pool = EMPTY) -> tuple[Case, str]:
    """Case ``index`` of a run and its profile: profiles take turns by index, never by time.

    An enumerated profile takes none, and neither seed nor pool decides its cases.
    """
    turn, place = divmod(index, len(profiles))
    profile = profiles[place]
    if profile in ENUMERATED:
        return ENUMERATED[profile].case(index, unit), profile
    return build(source(seed, index, turn, pool, profile), profile, unit), profile


def numbered(seed: int, index: int, profiles: tuple[str, ...], unit: int = 4, pool: Pool = EMPTY) -> tuple[Case, str]:
    """The same, with a warm-up or without: cases take turns in that, too.

    That is no draw, or each find would be shrunk by it. Every other case with a warm-up has a count of ids that
    Triton compiles another variant for; cases that are enumerated stay as they are.
    """
    case, profile = drawn(seed, index, profiles, unit, pool)
    warm, rest = divmod(index // len(profiles), WARM_EVERY)
    if rest:
        return replace(case, cold=True), profile
    return (rounded_up(case) if warm % 2 and profile not in ENUMERATED else case), profile
