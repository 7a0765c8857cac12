"""The case in flight, in a mapped file: it survives ``kill -9`` without a sync for each case.

One slot a worker. The worker writes the case before it launches anything and clears the slot after;
whoever finds the worker dead reads what it was doing.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
import time
from pathlib import Path
from typing import NamedTuple

import msgspec

from fuzz.case import Case
from fuzz.codec import packer, unpacker
from fuzz.errors import EngineError
from fuzz.verdict import OUTCOMES

_HEADER = struct.Struct("<8sqqddq5q")
_MAGIC = b"kvzflt01"
_BUSY = 16
_LIMIT = 32
_COUNTS = 48
_SIZE = 2**16


class InFlight(msgspec.Struct, frozen=True, array_like=True):
    """What a worker is about to run: attempt number, target, profile, case."""

    attempt: int
    target: str
    profile: str
    case: Case


_decoder = unpacker(InFlight)


class Flight(NamedTuple):
    """A slot as read from outside: who wrote it, since when, for how long it may, and what it holds."""

    pid: int
    running: InFlight | None
    started: float
    limit: float
    counts: dict[str, int]

    @property
    def overdue(self) -> bool:
        """Whether the case in flight has used up its time."""
        return self.running is not None and time.monotonic() > self.started + self.limit


class FlightSlot:
    """The worker's side of a slot.

    Args:
        path: the slot's file; its folder must exist.

    Raises:
        EngineError: if the disk has no room for it.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            os.posix_fallocate(self._file, 0, _SIZE)
        except OSError as error:
            raise EngineError(f"flight slot {path}: {error.strerror}; free some space or name another folder") from None
        self._map = mmap.mmap(self._file, _SIZE)
        self._counts: dict[str, int] = {}
        self.restart()

    def restart(self) -> None:
        """Set the counts to zero."""
        self._counts = dict.fromkeys(OUTCOMES, 0)
        _HEADER.pack_into(self._map, 0, _MAGIC, os.getpid(), 0, 0.0, 0.0, 0, *self._counts.values())

    def take_off(self, running: InFlight, limit: float) -> None:
        """Hold a case as in flight, for at most ``limit`` seconds."""
        payload = packer.encode(running)
        need = _HEADER.size + len(payload)
        if need > len(self._map):
            os.posix_fallocate(self._file, 0, need)
            self._map.resize(need)
        self._map[_HEADER.size : need] = payload
        counts = self._counts.values()
        _HEADER.pack_into(
            self._map, 0, _MAGIC, os.getpid(), len(payload), time.monotonic(), limit, running.attempt, *counts
        )

    def extend(self, limit: float) -> None:
        """Give the case in flight ``limit`` seconds in all."""
        struct.pack_into("<d", self._map, _LIMIT, limit)

    def land(self, outcome: str) -> None:
        """The case is done and its verdict is on its way."""
        self._counts[outcome] += 1
        struct.pack_into("<5q", self._map, _COUNTS, *self._counts.values())
        struct.pack_into("<q", self._map, _BUSY, 0)


def read(path: Path) -> Flight | None:
    """Read a slot from outside; None if there is none or it was never written whole."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    if len(content) < _HEADER.size:
        return None
    magic, pid, length, started, limit, _, *counts = _HEADER.unpack_from(content)
    if magic != _MAGIC:
        return None
    running = None
    if length:
        with contextlib.suppress(msgspec.MsgspecError):
            running = _decoder.decode(content[_HEADER.size : _HEADER.size + length])
    return Flight(pid, running, started, limit, dict(zip(OUTCOMES, counts, strict=True)))


def abandoned(folder: Path) -> list[tuple[Path, Flight]]:
    """Slots in a folder whose worker is dead with a case in flight."""
    found = []
    for path in sorted(folder.glob("*.slot")):
        flight = read(path)
        if flight is None or _alive(flight.pid):
            continue
        if flight.running is None:
            path.unlink(missing_ok=True)
        else:
            found.append((path, flight))
    return found


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
