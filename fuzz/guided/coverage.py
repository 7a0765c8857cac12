"""``coverage/``: kept cases as files, which a search starts from; programs may delete them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from fuzz import codec, corpus, whole
from fuzz.build import trace
from fuzz.case import Case, Origin
from fuzz.errors import JournalError
from fuzz.guided.chain import case_of, rows_of
from fuzz.guided.pool import MOST, Kept
from fuzz.journal import Journal
from fuzz.source import Untraceable

FOLDER = "coverage"

MOST_AT_FIRST = MOST // 2
"""Cases that a search begins with; the other half of its pool is for what it meets."""


class Start(NamedTuple):
    """What a search begins with.

    Attributes:
        rows: its cases.
        left_out: in words, which files it does not begin with; empty if there are none.
    """

    rows: list[Kept]
    left_out: str


def start(root: Path, profiles: tuple[str, ...], unit: int) -> Start:
    """What a search of these profiles can start from: the first cases of a corpus that one of them draws.

    Raises:
        CaseError: for a file that breaks a rule.
    """
    rows: list[Kept] = []
    strange = 0
    found = list(corpus.entries(root, (FOLDER,)))
    for entry in found:
        row = _row(entry.case, profiles, unit)
        if row:
            rows.append(row)
        else:
            strange += 1
    late = max(len(rows) - MOST_AT_FIRST, 0)
    reasons = {"no profile of this run draws": strange, f"come after the first {MOST_AT_FIRST}": late}
    words = ", ".join(f"{count} that {reason}" for reason, count in reasons.items() if count)
    left_out = words and f"corpus={root}: of {len(found)} cases in {FOLDER} some are left out: {words}"
    return Start(rows[:MOST_AT_FIRST], left_out)


def _row(case: Case, profiles: tuple[str, ...], unit: int) -> Kept | None:
    for profile in profiles:
        with suppress(Untraceable):
            return Kept(profile, tuple(trace(case, profile, unit)))
    return None


def kept_by(journal: Journal, seed: int) -> list[Case]:
    """The cases that a campaign kept, as its journal has them.

    Raises:
        JournalError: if it cannot be read, or its choices draw no case in this version.
    """
    unit = int(journal.fact("unit") or 1)
    cases, digest = [], ""
    for grown in journal.epochs():
        for row in rows_of(grown, digest):
            origin = Origin("fuzz", seed=seed, profile=row.profile)
            cases.append(replace(case_of(row, unit), origin=origin))
        digest = grown.digest
    return cases


def leave(folder: Path, journal: Journal, seed: int) -> str:
    """Write what a finished campaign kept into its folder, if it kept some.

    Returns:
        In words, why that could not be done; empty if it was.
    """
    try:
        cases = kept_by(journal, seed)
        if cases:
            write(folder, cases)
    except (OSError, JournalError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        return f"dir={folder}: {reason}; the cases that it kept are in its journal alone"
    return ""


def write(folder: Path, cases: Iterable[Case]) -> None:
    """Make or replace the ``coverage/`` of a campaign's folder, whole or not at all.

    Raises:
        OSError: if it cannot be written.
    """
    with whole.folder(folder / FOLDER) as made:
        for case in cases:
            (made / codec.file_name(case)).write_text(codec.encode(case))
        shutil.rmtree(folder / FOLDER, ignore_errors=True)
