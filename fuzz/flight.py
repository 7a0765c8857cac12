"""The cases in flight, in a mapped file: they survive ``kill -9`` without a sync for each.

One slot a worker. The worker writes its case, or those of a batch, before it launches anything and
clears the slot after; whoever finds the worker dead reads what it was doing. A lock on the file is the
worker's sign of life: the kernel releases it whatever ends the process.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import struct
import time
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import msgspec

from fuzz.case import SCHEMA, Case
from fuzz.codec import packer, unpacker
from fuzz.errors import EngineError
from fuzz.verdict import OUTCOMES

_MAGIC = b"kvzflt03"
_HEADER = struct.Struct("<8sqdd5q")
_ALL = (0, _HEADER)
_LENGTH = (8, struct.Struct("<q"))
_TIMES = (16, struct.Struct("<dd"))
_LIMIT = (24, struct.Struct("<d"))
_COUNTS = (32, struct.Struct("<5q"))
"""Fields of the header: place and form."""

_SIZE = 2**16


class InFlight(msgspec.Struct, frozen=True, array_like=True, dict=True):
    """What a worker is about to run: attempt number, target, profile, case."""

    attempt: int
    target: str
    profile: str
    case: Case

    @cached_property
    def packed(self) -> msgspec.Raw:
        """As it lies in a slot: packed once, though a batch is in the slot twice."""
        return msgspec.Raw(packer.encode(self))


def sequence_of(running: Iterable[InFlight], target: str) -> Case:
    """The cases of one target that were in flight together, as one case."""
    cases = tuple(one.case for one in running if one.target == target)
    return Case(schema=SCHEMA, domain="contract", guard=0, calls=(), sequence=cases)


_decoder = unpacker(tuple[InFlight, ...])


class Flight(NamedTuple):
    """A slot as read from outside: what is in flight, since when, for how long it may, counts so far."""

    running: tuple[InFlight, ...]
    started: float
    limit: float
    counts: dict[str, int]

    @property
    def overdue(self) -> bool:
        """Whether what is in flight has used up its time; a slot half written never has."""
        if not self.running or not self.started or not self.limit:
            return False
        return time.monotonic() > self.started + self.limit


class FlightSlot:
    """The worker's side of a slot.

    Args:
        path: the slot's file; its folder must exist.

    Raises:
        EngineError: if the disk has no room for it.
    """

    def __init__(self, path: Path) -> None:
        file = None
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.posix_fallocate(file, 0, _SIZE)
        except OSError as error:
            if file is not None:
                os.close(file)
            raise EngineError(f"flight slot {path}: {error.strerror}; free some space or name another folder") from None
        self._file = file
        self._map = mmap.mmap(file, _SIZE)
        self._counts: dict[str, int] = {}
        self.restart()

    def restart(self) -> None:
        """Set the counts to zero."""
        self._counts = dict.fromkeys(OUTCOMES, 0)
        self._put(_ALL, _MAGIC, 0, 0.0, 0.0, *self._counts.values())

    def take_off(self, running: Sequence[InFlight], limit: float) -> None:
        """Hold cases as in flight, for at most ``limit`` seconds; their length is written last."""
        payload = packer.encode([one.packed for one in running])
        need = _HEADER.size + len(payload)
        if need > len(self._map):
            os.posix_fallocate(self._file, 0, need)
            self._map.resize(need)
        self._put(_LENGTH, 0)
        self._map[_HEADER.size : need] = payload
        self._put(_TIMES, time.monotonic(), limit)
        self._put(_LENGTH, len(payload))

    def extend(self, limit: float) -> None:
        """Give what is in flight ``limit`` seconds in all."""
        self._put(_LIMIT, limit)

    def go_on(self, limit: float) -> None:
        """What is in flight shows a sign of life, and has ``limit`` seconds from now on."""
        self._put(_TIMES, time.monotonic(), limit)

    def land(self, outcomes: Iterable[str], *, clear: bool = True) -> None:
        """Count what is done, its verdicts are on their way; nothing else is in flight if ``clear`` is true."""
        if clear:
            self._put(_LENGTH, 0)
        for outcome in outcomes:
            self._counts[outcome] += 1
        self._put(_COUNTS, *self._counts.values())

    def _put(self, field: tuple[int, struct.Struct], *values: float | bytes) -> None:
        """Write fields by a copy: ``pack_into`` clears its target first, and a reader would see zeros."""
        place, form = field
        self._map[place : place + form.size] = form.pack(*values)


def read(path: Path) -> Flight | None:
    """Read a slot from outside; None if there is none or it was never written whole."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    if len(content) < _HEADER.size:
        return None
    magic, length, started, limit, *counts = _HEADER.unpack_from(content)
    if magic != _MAGIC:
        return None
    running: tuple[InFlight, ...] = ()
    if length:
        with contextlib.suppress(msgspec.MsgspecError):
            running = _decoder.decode(content[_HEADER.size : _HEADER.size + length])
    return Flight(running, started, limit, dict(zip(OUTCOMES, counts, strict=True)))


def abandoned(folder: Path) -> list[tuple[Path, tuple[InFlight, ...]]]:
    """Slots in a folder whose worker is dead with cases in flight; empty ones of the dead are removed."""
    found = []
    for path in sorted(folder.glob("*.slot")):
        if _alive(path):
            continue
        flight = read(path)
        if flight is None or not flight.running:
            path.unlink(missing_ok=True)
        else:
            found.append((path, flight.running))
    return found


def _alive(path: Path) -> bool:
    """Whether somebody holds the slot's lock."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
