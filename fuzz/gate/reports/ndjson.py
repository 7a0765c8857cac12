"""The gate's events as they come, one JSON object a line, for whoever watches it."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fuzz.gate.events import Began, CheckEnded, Event, FileTried, FindDecided, Warned
from fuzz.gate.reports.json_report import as_object, of_check, of_decided


class Ndjson:
    """Writes each event at once.

    Args:
        path: the file; what it held is lost.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("w")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def __call__(self, event: Event) -> None:
        """Write an event."""
        self._file.write(json.dumps(_object(event)) + "\n")
        self._file.flush()


def _object(event: Event) -> dict[str, Any]:
    if isinstance(event, Began):
        return {"event": "began", **as_object(event.report)}
    if isinstance(event, FileTried):
        words = {"case": str(event.path), "label": event.label, "text": event.text, "seconds": round(event.seconds, 3)}
        return {"event": "file", **words, "find": of_decided(event.decided) if event.decided else None}
    if isinstance(event, FindDecided):
        text = event.decided.finding.verdict.text
        return {"event": "find", "check": event.decided.check, **of_decided(event.decided), "text": text}
    if isinstance(event, CheckEnded):
        return {"event": "check", **of_check(event.check)}
    if isinstance(event, Warned):
        return {"event": "warning", "text": event.text}
    return {"event": "over", **as_object(event.report)}
