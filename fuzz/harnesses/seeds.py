"""What a harness starts from: the corpus, written as the bytes that each harness reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import fields

from fuzz import codec, corpus
from fuzz.build import build, trace
from fuzz.case import Call, Case, Origin, Segment
from fuzz.harnesses import tables
from fuzz.harnesses.provider import written
from fuzz.layers import DTYPES, KINDS, ORDERS, SPECS, Layer, Pool
from fuzz.source import Source, Untraceable

_STRUCTS = (Case, Call, Segment, Origin, Layer, Pool)
_WORDS = (
    "contract",
    "hostile",
    "zero",
    "write",
    "history",
    "fuzz",
    "hand",
    "0-3,2*5",
    "masked_grid@h200",
    "stale:tail",
)
_NUMBERS = ("null", "true", "false", "1e400", "-1", str(2**47), str(2**62), str(2**63), str(2**64), "[[[[[[[[", ", ")


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


def dictionary() -> str:
    """The words of case files, in libFuzzer's form: without them it would have to guess JSON keys.

    Keys are those of the format's structs, words those that its cases hold and its rules ask for.
    """
    keys = {field.encode_name for kind in _STRUCTS for field in fields(kind)}
    texts = {f'"{key}": ' for key in keys} | {f'"{word}"' for word in (*_WORDS, *ORDERS, *SPECS, *DTYPES, *KINDS)}
    escaped = (text.replace('"', '\\"') for text in sorted(texts | set(_NUMBERS)))
    return "".join(f'"{text}"\n' for text in escaped)


def _layout(source: Source) -> object:
    return build(source, "layout")


def _table(source: Source) -> object:
    return tables.drawn(source) if tables.about_tables(source) else None
