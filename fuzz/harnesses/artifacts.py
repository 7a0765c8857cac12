"""What becomes of the input of a find: a case in the corpus where it is one, else the bytes themselves."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from fuzz import corpus
from fuzz.build import build
from fuzz.case import Case
from fuzz.control import Control
from fuzz.events import Report, Subscriber
from fuzz.findbook import FindBook
from fuzz.harnesses import MORE_DAMAGES
from fuzz.harnesses.provider import Bytes, FromBytes
from fuzz.messages import Open
from fuzz.supervisor import Crew

TARGET = "KVBlockZeroer"
"""The built-in target that has the planner under test."""

PROFILE = "layout"


def keep(name: str, data: bytes, words: str, root: Path, control: Control, tell: Subscriber) -> list[Path]:
    """Keep the input of a find below ``crashing/`` of a corpus.

    Sound caches that our zeroer fails on any engine are a find like any other, shrunk and replayed. Whatever
    else stays what it is: ``harness-NAME-<sha>.bin``, with the traceback in a text file beside it.

    Args:
        name: the harness.
        data: the input.
        words: what was said of it.
        root: the corpus.
        control: how long shrinking may take.
        tell: told of each step.

    Returns:
        The files that hold the find.

    Raises:
        OSError: if they cannot be written.
    """
    case = sound_caches(data) if name == "planner" else None
    return (case is not None and _booked(case, root, control, tell)) or [_raw(name, data, words, root)]


def sound_caches(data: bytes) -> Case | None:
    """The caches that the planner harness draws from bytes, as a case; None if it then damages them."""
    source = FromBytes(Bytes(data))
    case = build(source, PROFILE)
    return None if source.integer(0, MORE_DAMAGES) else case


def _booked(case: Case, root: Path, control: Control, tell: Subscriber) -> list[Path]:
    """The files of the finds that a case shows on our zeroer; none if it shows none."""
    report = Report(0)
    with tempfile.TemporaryDirectory(prefix="kvzero-") as slots:
        crew = Crew(Open((TARGET,), None, None, ""), Path(slots), standbys=0)
        try:
            opened = crew.open()
            verdict = crew.attempt(case, TARGET)
            if verdict.outcome != "finding":
                return []
            book = FindBook(report, root, set(), opened.device_profile, opened.units, crew, control, tell)
            book.met(case, TARGET, PROFILE, verdict, count=1)
            book.settle()
        finally:
            crew.close()
    return [Path(find.path) for find in report.distinct if find.path]


def _raw(name: str, data: bytes, words: str, root: Path) -> Path:
    folder = root / corpus.CRASHING
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"harness-{name}-{hashlib.sha256(data).hexdigest()[:8]}.bin"
    path.write_bytes(data)
    path.with_suffix(".txt").write_text(words)
    return path
