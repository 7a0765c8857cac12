"""Kept cases, as the choices that draw them: what mutants start from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

MOST = 2048
"""Cases that a pool keeps; the first ones, and no more after them."""


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """A case of a profile by its choices."""

    profile: str
    choices: tuple[int, ...]


class Pool:
    """Kept cases of one epoch, by profile.

    Args:
        rows: the cases, in the order in which they were kept.
    """

    def __init__(self, rows: Iterable[Kept] = ()) -> None:
        self._of: dict[str, list[tuple[int, ...]]] = {}
        for row in rows:
            self._of.setdefault(row.profile, []).append(row.choices)

    def of(self, profile: str) -> Sequence[tuple[int, ...]]:
        """The choices of each kept case of a profile."""
        return self._of.get(profile, ())


EMPTY = Pool()

_rows = msgspec.msgpack.Decoder(tuple[Kept, ...])

encode = msgspec.msgpack.Encoder().encode


def decode(data: bytes) -> tuple[Kept, ...]:
    """Rows as ``encode`` wrote them; of nothing, none.

    Raises:
        msgspec.MsgspecError: if these are none.
    """
    rows: tuple[Kept, ...] = _rows.decode(data) if data else ()
    return rows
