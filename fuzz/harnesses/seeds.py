"""What a harness starts from: the corpus, written as the bytes that each harness reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fuzz import codec, corpus
from fuzz.build import build, trace
from fuzz.case import Case
from fuzz.harnesses import tables
from fuzz.harnesses.provider import written
from fuzz.source import Source, Untraceable


def seeds(name: str, root: Path) -> Iterator[bytes]:
    """The cases of a corpus and of the shipped one, as far as a harness can be brought to them.

    Raises:
        CaseError: for a file that breaks a rule.
    """
    for folder in dict.fromkeys((root.resolve(), corpus.shipped().resolve())):
        for entry in corpus.entries(folder):
            seed = seed_of(name, entry.case)
            if seed is not None:
                yield seed


def seed_of(name: str, case: Case) -> bytes | None:
    """The bytes that lead a harness to a case; None if none do."""
    if name == "codec":
        return codec.encode(case).encode()
    try:
        if name == "planner":
            return written(_layout, trace(case, "layout"))
        return written(_table, tables.trace(case))
    except Untraceable:
        return None


def _layout(source: Source) -> object:
    return build(source, "layout")


def _table(source: Source) -> object:
    return tables.drawn(source) if tables.about_tables(source) else None
