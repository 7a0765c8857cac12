"""An arena of addresses without memory: for caches of many gigabytes, on an engine that keeps stores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fuzz.errors import EngineError
from fuzz.images import WrittenImage
from fuzz.layout import lead, total

if TYPE_CHECKING:
    import torch

    from fuzz.case import Case
    from fuzz.engines import Engine


class VirtualArena:
    """A stretch of addresses in which stores are kept as intervals and loads fault."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._written: list[tuple[Any, Any, Any]] = []

    def fit(self, case: Case) -> int:
        """Reserve addresses for a case and give that of its offset 0."""
        start, self._written = self._engine.reserve(total(case))
        return start + lead(case)

    def lay(self) -> None:
        """Forget what was written."""
        self._written.clear()

    def read(self) -> WrittenImage:
        """What was written since it was laid."""
        return WrittenImage(list(self._written))

    def memory(self) -> torch.Tensor:
        """There is none."""
        raise EngineError("an arena of virtual memory holds no bytes")

    def renew(self) -> None:
        """There is no poison."""
