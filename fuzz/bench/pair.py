"""Two zeroers on one geometry: what was timed, and what useful work is."""

from __future__ import annotations

from typing import NamedTuple

from fuzz.bench.geometries import Geometry
from kvzero.segments import Limits

CHUNK = 4096
"""Bytes that upstream's kernel clears with one program at most; useful work is counted in it."""


class Pair(NamedTuple):
    """Two zeroers on one geometry.

    Attributes:
        geometry: its name.
        chunks: pieces of at most 4,096 bytes that a call has to clear.
        seconds: of the device, round by round, of the first and of the second.
        programs: that a call of the first and of the second launches.
    """

    geometry: str
    chunks: int
    seconds: tuple[list[float], list[float]]
    programs: tuple[int, int]


def fits(limits: Limits, geometry: Geometry) -> bool:
    """Whether a target takes a geometry, as far as its limits say."""
    pages = geometry.pages
    return (
        not any(page % limits.unit for page in pages)
        and (limits.segments is None or len(pages) <= limits.segments)
        and (limits.ids is None or geometry.ids <= limits.ids)
        and (limits.page is None or max(pages) <= limits.page)
        and not (limits.uniform and len(set(pages)) > 1)
    )


def chunks(geometry: Geometry) -> int:
    """Pieces of at most 4,096 bytes, none of them across two pages, that a call has to clear."""
    return sum(-(-page // CHUNK) for page in geometry.pages) * geometry.ids
