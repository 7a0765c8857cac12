"""The journal of a run: counts, finds and progress, in step with each other whatever ends the process.

SQLite with a write-ahead log, in the campaign's folder, or in memory for a run that keeps none. All that
came of one batch is one transaction, so an attempt is either counted with its find, or run again. A killed
process loses nothing that was recorded; a power cut may lose the last second, which then is run again.
Finished slices are one number, so the file stays as small as its finds.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from fuzz import codec
from fuzz.errors import CaseError, JournalError
from fuzz.events import Find, OpenFind, Report, Whole
from fuzz.guided.chain import Grown
from fuzz.verdict import Bucket, Verdict

SCHEMA = """
create table if not exists facts (name text primary key, value text not null) without rowid;
create table if not exists slices (slice integer primary key, following integer not null);
create table if not exists counts (outcome text primary key, count integer not null) without rowid;
create table if not exists unproved (profile text primary key, count integer not null) without rowid;
create table if not exists epochs (epoch integer primary key, kept blob not null, digest text not null);
create table if not exists seen (epoch integer primary key, pairs blob not null);
create table if not exists finds (
    target text, device_profile text, met_kind text, met_detail text,
    kind text not null, detail text not null, count integer not null, profile text not null, path text,
    settled integer not null, smallest integer not null, known integer not null, shown integer, replays integer,
    verdict text not null, case_file text not null,
    primary key (target, device_profile, met_kind, met_detail)
) without rowid;
"""
"""A find stands under the bucket that it was met in; ``kind`` and ``detail`` are those it is filed under."""

FIND_COLUMNS = 16


class Journal:
    """What is known of a run, for good.

    Args:
        path: the file, made if missing; None to keep it in memory.

    Raises:
        JournalError: from every method, if the file is damaged, or the disk is full or gone.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._name = str(path) if path else "memory"
        with self._typed():
            self._base = sqlite3.connect(path or ":memory:", check_same_thread=False, isolation_level=None)
            self._base.execute("pragma journal_mode = wal")
            self._base.execute("pragma synchronous = normal")
            (health,) = self._base.execute("pragma quick_check(1)").fetchone()
            if health != "ok":
                raise sqlite3.DatabaseError(health.splitlines()[-1])
            self._base.executescript(SCHEMA)

    def restore(self, report: Report) -> None:
        """Fill a fresh report with all that was recorded."""
        with self._typed():
            report.counts.update(dict(self._base.execute("select outcome, count from counts")))
            report.unproved_by_profile.update(dict(self._base.execute("select profile, count from unproved")))
            finds = [(Bucket(*row[:4]), _find(row)) for row in self._base.execute("select * from finds")]
        report.seconds = float(self.fact("seconds") or 0)
        report.compiled = int(self.fact("compiled") or 0)
        report.stop_reason = self.fact("stop_reason") or ""
        report.trouble = self.fact("trouble")
        with self._typed():
            report.open = msgspec.json.decode(self.fact("open") or "[]", type=list[OpenFind])
            report.whole = msgspec.json.decode(self.fact("whole") or "null", type=Whole | None)
        filed: dict[Bucket, Find] = {}
        for met, find in finds:
            report.finds[met] = filed.setdefault(find.bucket, find)

    def progress(self) -> tuple[int, dict[int, int]]:
        """Finished slices from the first one on, and where later ones go on."""
        with self._typed():
            following = dict(self._base.execute("select slice, following from slices"))
        return int(self.fact("floor") or 0), following

    def fact(self, name: str) -> str | None:
        """One of the facts of the run, or None if it was never stated."""
        with self._typed():
            row = self._base.execute("select value from facts where name = ?", (name,)).fetchone()
        return row[0] if row else None

    def state(self, facts: Mapping[str, object]) -> None:
        """Write facts down; a value of None takes its fact out."""
        with self._transaction():
            self._state(facts)

    def batch(
        self,
        done: tuple[int, int],
        floor: int,
        counts: Mapping[str, int],
        unproved: Mapping[str, int],
        finds: Iterable[tuple[Bucket, Find]],
        facts: Mapping[str, object],
    ) -> None:
        """Record all that came of a batch, in one transaction.

        Args:
            done: the slice, and the attempt that follows in it.
            floor: slices that are finished, all from the first one on.
            counts: outcomes of the batch.
            unproved: its unproved cases by profile.
            finds: those that it showed, as they stand now, each with the bucket that it is met in.
            facts: such as the seconds used.
        """
        with self._transaction() as base:
            if done[0] >= floor:
                base.execute("insert or replace into slices values (?, ?)", done)
            base.execute("delete from slices where slice < ?", (floor,))
            for table, added in (("counts", counts), ("unproved", unproved)):
                base.executemany(
                    f"insert into {table} values (?, ?) on conflict do update set count = count + excluded.count",  # noqa: S608
                    [(name, count) for name, count in added.items() if count],
                )
            self._finds(finds)
            self._state({"floor": floor, **facts})

    def epochs(self) -> list[Grown]:
        """What each epoch of a guided search kept, from the first one on."""
        with self._typed():
            found = self._base.execute(
                "select epoch, kept, digest, pairs from epochs left join seen using (epoch) order by epoch"
            )
            return [Grown(*row) for row in found]

    def epoch(self, grown: Grown) -> None:
        """Record what one more epoch kept; of the pairs that were counted the newest alone stay."""
        with self._transaction() as base:
            base.execute("insert into epochs values (?, ?, ?)", grown[:3])
            if grown.seen:
                base.execute("delete from seen")
                base.execute("insert into seen values (?, ?)", (grown.epoch, grown.seen))

    def finds(self, finds: Iterable[tuple[Bucket, Find]]) -> None:
        """Record finds as they stand now."""
        with self._transaction():
            self._finds(finds)

    def close(self) -> None:
        """Close the file, its log folded into it if that can be done."""
        self._base.close()

    def _state(self, facts: Mapping[str, object]) -> None:
        self._base.executemany(
            "insert or replace into facts values (?, ?)",
            [(name, str(value)) for name, value in facts.items() if value is not None],
        )
        self._base.executemany("delete from facts where name = ?", [(k,) for k, v in facts.items() if v is None])

    def _finds(self, finds: Iterable[tuple[Bucket, Find]]) -> None:
        places = ", ".join("?" * FIND_COLUMNS)
        self._base.executemany(
            f"insert or replace into finds values ({places})",  # noqa: S608
            [_row(met, find) for met, find in finds],
        )

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._typed():
            self._base.execute("begin immediate")
            try:
                yield self._base
                self._base.execute("commit")
            except BaseException:
                if self._base.in_transaction:
                    self._base.execute("rollback")
                raise

    @contextmanager
    def _typed(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, msgspec.MsgspecError, CaseError) as error:
            raise JournalError(
                f"journal={self._name}: {error}; free some space or restore the file, then go on with --resume"
            ) from None


def _row(met: Bucket, find: Find) -> tuple[object, ...]:
    shown, replays = find.replays or (None, None)
    return (
        *met, find.bucket.kind, find.bucket.detail, find.count, find.profile,
        str(find.path) if find.path else None, find.settled, find.smallest, find.known, shown, replays,
        msgspec.json.encode(find.verdict).decode(), codec.encode(find.case),
    )  # fmt: skip


def _find(row: tuple[Any, ...]) -> Find:
    target, device_profile, _, _, kind, detail, count, profile, path, settled, smallest, known, *rest = row
    shown, replays, verdict, case = rest
    return Find(
        Bucket(target, device_profile, kind, detail),
        codec.decode(case, "journal"),
        msgspec.json.decode(verdict, type=Verdict),
        profile,
        count,
        Path(path) if path else None,
        known=bool(known),
        replays=None if replays is None else (shown, replays),
        settled=bool(settled),
        smallest=bool(smallest),
    )
