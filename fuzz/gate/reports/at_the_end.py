"""A report that is one text, written when the gate is over."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fuzz.gate.events import Event, Over
from fuzz.gate.results import GateReport


class AtTheEnd:
    """Writes a report when the gate is over.

    Args:
        path: the file.
        text: makes all of it.
    """

    def __init__(self, path: Path, text: Callable[[GateReport], str]) -> None:
        self._path = path
        self._text = text

    def __call__(self, event: Event) -> None:
        """Wait for the end."""
        if isinstance(event, Over):
            self._path.write_text(self._text(event.report))
