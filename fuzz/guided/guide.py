"""The pools of a run, epoch by epoch: cases are kept that show pairs of features which no case before them showed.

Features say what a case looks like, so nothing has to be run to know them: a pool is decided by the seed and the
pool before it, and whoever makes it draws some cases of each epoch anew. Nobody waits for anybody's last slice, no
worker sends what it met, and a kill loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from fuzz.build import drawn, trace
from fuzz.features import Seen, features
from fuzz.guided.chain import Grown, case_of, link, rows_of, seen_of
from fuzz.guided.epochs import epoch_of, first_of, looked_at
from fuzz.guided.pool import MOST, Kept, Pool, encode
from fuzz.source import Untraceable

LOOKS = 256
"""Cases of an epoch that are looked at: looking takes a quarter of a millisecond each."""

GLANCES = LOOKS // 4
"""The same once a pool is full: they serve the percentage alone, and everybody waits for them."""

COUNTED = 4
"""The counted pairs are written down once in so many epochs: they are 100 KB, and to count an epoch anew is 0.1 s."""


class Epoch(NamedTuple):
    """What holds for a stretch of cases: the first one after it, and its pool, encoded."""

    stop: int
    pool: bytes


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
        JournalError: if ``grown`` is not what its hashes say, or cannot be read.

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
        self._tell = keep
        self._sizes: list[int] = []
        self._digest = ""
        self._newest = (-1, b"")
        self._restore(list(grown))

    def at(self, index: int) -> Epoch:
        """The epoch of a case."""
        epoch = epoch_of(index)
        while len(self._sizes) <= epoch:
            self._grow()
        size = self._sizes[epoch]
        if self._newest[0] != size:
            self._newest = (size, encode(self.rows[:size]))
        return Epoch(first_of(epoch + 1), self._newest[1])

    def _restore(self, grown: Sequence[Grown]) -> None:
        """Take up what was kept; only what came after the newest count of pairs is drawn anew, to count it."""
        counted = max((one.epoch for one in grown if one.seen), default=-1)
        for one in grown:
            rows = rows_of(one, self._digest)
            if one.epoch == counted:
                self.seen = seen_of(one)
            elif one.epoch > counted:
                self._met(one.epoch, rows)
            self._add(rows, one.digest)
        self._estimate()

    def _grow(self) -> None:
        """Make the next epoch's pool from the cases of the one before it."""
        epoch = len(self._sizes)
        rows = self._met(epoch, self._start)
        added = encode(rows)
        self._add(rows, link(self._digest, added))
        self._estimate()
        if self._tell:
            seen = None if (epoch + 1) % COUNTED else self.seen.encode()
            self._tell(Grown(epoch, added, self._digest, seen))

    def _met(self, epoch: int, start: Sequence[Kept]) -> Sequence[Kept]:
        """Count what is seen before an epoch begins; the rows that it adds, of the first one those that it is given."""
        if epoch:
            return list(self._shown(epoch - 1))
        for row in start:
            self.seen.add(features(case_of(row, self._drawing[2])))
        return start

    def _add(self, rows: Sequence[Kept], digest: str) -> None:
        self.rows += rows
        self._sizes.append(len(self.rows))
        self._digest = digest

    def _estimate(self) -> None:
        self.cover = 100 * len(self.seen) / max(self.seen.estimate(), 1)

    def _shown(self, epoch: int) -> Iterator[Kept]:
        """The cases of an epoch that show something new, as long as there is room."""
        seed, profiles, unit = self._drawing
        pool, room = Pool(self.rows), MOST - len(self.rows)
        for index in looked_at(epoch, len(profiles), LOOKS if room else GLANCES):
            case, profile = drawn(seed, index, profiles, unit, pool)
            if self.seen.add(features(case)) and room:
                with suppress(Untraceable):
                    yield Kept(profile, tuple(trace(case, profile, unit)))
                    room -= 1
