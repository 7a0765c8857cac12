"""An arena of addresses without memory: for caches of many gigabytes, on an engine that keeps stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fuzz.arena import lead, segments_of, total
from fuzz.images import WrittenImage

if TYPE_CHECKING:
    from fuzz.case import Case
    from fuzz.engines import Engine
    from oracles.pages import Segments


class VirtualArena:
    """A stretch of addresses in which stores are kept as intervals and loads fault.

    Attributes:
        lead: bytes before offset 0 of the case that was fitted last.
        size: bytes between the guard zones.
    """

    def __init__(self, engine: Engine) -> None:
        self.lead = self.size = 0
        self._engine = engine
        self._written: list[tuple[object, object, object]] = []

    def fit(self, case: Case) -> int:
        """Reserve addresses for a case and give that of its offset 0."""
        self.lead = lead(case)
        self.size = case.end
        start, self._written = self._engine.reserve(total(case))
        return start + self.lead

    def lay(self) -> None:
        """Forget what was written."""
        self._written.clear()

    def read(self) -> WrittenImage:
        """What was written since it was laid."""
        return WrittenImage(list(self._written))  # type: ignore[arg-type]

    def segments(self, case: Case) -> Segments:
        """The case's segments as offsets in the image, equal ones once."""
        return segments_of(case, self.lead)
