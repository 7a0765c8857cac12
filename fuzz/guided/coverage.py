"""``coverage/``: kept cases as files, which a search starts from; programs may delete them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from fuzz import codec, corpus
from fuzz.build import build, trace
from fuzz.case import Case, Origin
from fuzz.guided.pool import MOST, Kept, decode
from fuzz.journal import Journal
from fuzz.source import Choices, Untraceable

FOLDER = "coverage"

MOST_AT_FIRST = MOST // 2
"""Cases that a search begins with; the other half of its pool is for what it meets."""


def start(root: Path, profiles: tuple[str, ...], unit: int) -> list[Kept]:
    """What a search of these profiles can start from: the cases of a corpus that one of them draws.

    Raises:
        CaseError: for a file that breaks a rule.
    """
    rows: list[Kept] = []
    for entry in corpus.entries(root, (FOLDER,)):
        for profile in profiles:
            with suppress(Untraceable):
                rows.append(Kept(profile, tuple(trace(entry.case, profile, unit))))
                break
    return rows[:MOST_AT_FIRST]


def kept_by(journal: Journal, seed: int) -> list[Case]:
    """The cases that a campaign kept, as its journal has them.

    Raises:
        JournalError: if it cannot be read.
    """
    unit = int(journal.fact("unit") or 1)
    rows = [row for grown in journal.epochs() for row in decode(grown.rows)]
    return [_case(row, unit, seed) for row in rows]


def write(folder: Path, cases: Iterable[Case]) -> None:
    """Make the ``coverage/`` of a campaign's folder, whole or not at all.

    Raises:
        OSError: if it cannot be written.
    """
    made = Path(tempfile.mkdtemp(dir=folder, prefix=f".{FOLDER}-"))
    try:
        for case in cases:
            (made / codec.file_name(case)).write_text(codec.encode(case))
        made.chmod(0o755)
        shutil.rmtree(folder / FOLDER, ignore_errors=True)
        made.rename(folder / FOLDER)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _case(row: Kept, unit: int, seed: int) -> Case:
    case = build(Choices(row.choices), row.profile, unit)
    origin = Origin("fuzz", seed=seed, profile=row.profile)
    return replace(case, origin=origin)
