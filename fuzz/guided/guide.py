"""The pools of a run, epoch by epoch: cases are kept that show pairs of features which no case before them showed.

Features say what a case looks like, so nothing has to be run to know them: a pool is decided by the seed and the
pool before it, and whoever makes it draws some cases of each epoch anew. Nobody waits for anybody's last slice, no
worker sends what it met, and a kill loses nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from fuzz.build import build, drawn, trace
from fuzz.errors import JournalError
from fuzz.features import Seen, features
from fuzz.guided.epochs import epoch_of, first_of, looked_at
from fuzz.guided.pool import MOST, Kept, Pool, decode, encode
from fuzz.source import Choices, Untraceable

LOOKS = 256
"""Cases of an epoch that are looked at: looking takes a quarter of a millisecond each."""


class Epoch(NamedTuple):
    """What holds for a stretch of cases: the first one after it, and its pool, encoded."""

    stop: int
    pool: bytes


class Grown(NamedTuple):
    """What an epoch has besides the one before it: rows, encoded, and the hash of all rows up to these."""

    epoch: int
    rows: bytes
    digest: str


class Guide:
    """Makes pools as they are asked for, by one thread at a time.

    Args:
        seed: decides the cases.
        profiles: shapes of cases, all of them drawn.
        unit: bytes that sizes are multiples of.
        start: cases that the first epoch has, unless ``grown`` tells.
        grown: epochs that were made in an earlier part of the run, from the first one on.
        keep: told of each further epoch before it is used.

    Raises:
        JournalError: from :meth:`at`, if ``grown`` is not what its hashes say.

    Attributes:
        rows: the newest epoch's pool.
        seen: the pairs of the cases that were looked at.
        cover: percent that these are of all there may be, by the estimate from the same cases; 0 before the first look.
    """

    def __init__(
        self,
        seed: int,
        profiles: tuple[str, ...],
        unit: int,
        start: Iterable[Kept] = (),
        grown: Iterable[Grown] = (),
        keep: Callable[[Grown], None] | None = None,
    ) -> None:
        self.rows: list[Kept] = []
        self.seen = Seen()
        self.cover = 0.0
        self._drawing = (seed, profiles, unit)
        self._start = tuple(start)
        self._grown = list(grown)
        self._tell = keep
        self._sizes: list[int] = []
        self._digest = ""
        self._newest = (-1, b"")

    def at(self, index: int) -> Epoch:
        """The epoch of a case."""
        epoch = epoch_of(index)
        while len(self._sizes) <= epoch:
            self._grow()
        if self._newest[0] != epoch:
            self._newest = (epoch, encode(self.rows[: self._sizes[epoch]]))
        return Epoch(first_of(epoch + 1), self._newest[1])

    def _grow(self) -> None:
        """Make the next epoch's pool from the cases of the one before it."""
        epoch = len(self._sizes)
        rows = list(self._shown(epoch - 1)) if epoch else self._start
        if epoch < len(self._grown):
            rows = decode(self._grown[epoch].rows)
        if not epoch:
            for row in rows:
                self.seen.add(features(build(Choices(row.choices), row.profile, self._drawing[2])))
        self.rows += rows
        self.cover = 100 * len(self.seen) / max(self.seen.estimate(), 1)
        self._sizes.append(len(self.rows))
        added = encode(rows)
        self._digest = hashlib.sha256(self._digest.encode() + added).hexdigest()
        if epoch >= len(self._grown):
            if self._tell:
                self._tell(Grown(epoch, added, self._digest))
        elif self._digest != self._grown[epoch].digest:
            raise JournalError(
                f"journal: the kept cases of epoch {epoch} are not those that its hash names; begin anew with --dir"
            )

    def _shown(self, epoch: int) -> Iterator[Kept]:
        """The cases of an epoch that show something new, as long as there is room."""
        seed, profiles, unit = self._drawing
        pool, room = Pool(self.rows), MOST - len(self.rows)
        for index in looked_at(epoch, len(profiles), LOOKS):
            case, profile = drawn(seed, index, profiles, unit, pool)
            if self.seen.add(features(case)) and room:
                with suppress(Untraceable):
                    yield Kept(profile, tuple(trace(case, profile, unit)))
                    room -= 1
