"""Epochs as a journal keeps them: rows, a hash over all rows up to these, and now and then the pairs counted so far."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import msgspec

from fuzz.build import build
from fuzz.case import Case
from fuzz.errors import JournalError
from fuzz.features import Seen
from fuzz.guided.pool import Kept, decode
from fuzz.source import Choices

WAY_OUT = "begin anew with --dir"


class Grown(NamedTuple):
    """What an epoch has besides the one before it.

    Attributes:
        epoch: its number.
        rows: cases, encoded.
        digest: the hash of all rows up to these.
        seen: the pairs that were counted when it began, encoded; None where they were not written down.
    """

    epoch: int
    rows: bytes
    digest: str
    seen: bytes | None = None


def link(before: str, rows: bytes) -> str:
    """The hash of an epoch, from that of the epoch before it."""
    return hashlib.sha256(before.encode() + rows).hexdigest()


def rows_of(grown: Grown, before: str) -> tuple[Kept, ...]:
    """The rows of an epoch; nothing is read of bytes that its hash does not name.

    Raises:
        JournalError: if they are others, or cannot be read.
    """
    what = f"journal: the kept cases of epoch {grown.epoch}"
    if link(before, grown.rows) != grown.digest:
        raise JournalError(f"{what} are not those that its hash names; {WAY_OUT}")
    try:
        return decode(grown.rows)
    except msgspec.MsgspecError as error:
        raise JournalError(f"{what} cannot be read: {error}; {WAY_OUT}") from None


def seen_of(grown: Grown) -> Seen:
    """The pairs that an epoch's row counts.

    Raises:
        JournalError: if they cannot be read.
    """
    try:
        return Seen.decode(grown.seen or b"")
    except msgspec.MsgspecError as error:
        raise JournalError(f"journal: the pairs of epoch {grown.epoch} cannot be read: {error}; {WAY_OUT}") from None


def case_of(row: Kept, unit: int) -> Case:
    """The case that a row draws.

    Raises:
        JournalError: if its choices draw none, as those of another version of kvzero may.
    """
    try:
        return build(Choices(row.choices), row.profile, unit)
    except (ValueError, KeyError) as error:
        raise JournalError(
            f"journal: a kept case of profile {row.profile} is drawn no more by this version: {error}; {WAY_OUT}"
        ) from None
