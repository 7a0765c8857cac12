"""What the NVIDIA driver wrote into the kernel log: Xid errors, and what the common ones mean."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

KERNEL_LOG = Path("/dev/kmsg")

LONGEST_RECORD = 8192
"""Bytes; the kernel gives one record a read, none of them longer."""

MEANINGS = {
    13: "a kernel did something illegal, such as an access out of range; usually the program's fault",
    31: "a kernel touched an address that is not mapped; usually the program's fault",
    43: "the driver stopped a program's work after a fault of that program; the GPU itself goes on",
    45: "the driver cleaned up after a program that was killed or had failed before; seldom a cause",
    48: "two bits of a memory word were wrong, more than ECC can correct; the hardware's fault",
    63: "a bad page or row of memory was noted for replacement; takes effect at the next reset",
    64: "a bad page or row of memory could not be noted for replacement; the hardware needs a look",
    74: "a link to another GPU or a switch failed",
    79: "the GPU no longer answers on its bus: power, heat or hardware; it takes a reboot",
    94: "memory was wrong beyond ECC, and only the program that used it was hit",
    95: "memory was wrong beyond ECC, and any program on the GPU may be hit; the GPU must be reset",
}
"""By number, in short; NVIDIA's list of Xid errors is the source."""

_LINE = re.compile(r"NVRM: Xid \((?:PCI:)?([0-9a-fA-F:.]+)\): (\d+)(?:, *)?(.*)")


@dataclass(frozen=True)
class Xid:
    """One error of the driver.

    Attributes:
        seconds: when, since the epoch; to the second, for the kernel counts from its start.
        bus: the GPU's place on the PCI bus.
        number: what kind of error.
        text: the rest of the driver's line.
    """

    seconds: float
    bus: str
    number: int
    text: str

    def words(self) -> str:
        """One line for people."""
        when = datetime.fromtimestamp(self.seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        meaning = MEANINGS.get(self.number, "see NVIDIA's list of Xid errors")
        return f"Xid {self.number} on {self.bus} at {when}: {meaning}; {self.text}".rstrip("; ")


def xids(since: float = 0.0, log: Path = KERNEL_LOG) -> list[Xid]:
    """The Xid errors since a time, oldest first; none where the kernel log cannot be read.

    Args:
        since: seconds since the epoch; 0 for all that the log still holds.
        log: the kernel log.
    """
    started = time.time() - time.monotonic()
    found = (_xid(record, started) for record in _records(log))
    return [xid for xid in found if xid is not None and xid.seconds >= since]


def _xid(record: str, started: float) -> Xid | None:
    """A record is ``priority,number,microseconds,flags;text``."""
    head, _, text = record.partition(";")
    match = _LINE.match(text)
    times = head.split(",")
    if match is None or len(times) < 3 or not times[2].isdecimal():
        return None
    return Xid(started + int(times[2]) / 1e6, match[1], int(match[2]), match[3].strip())


def _records(log: Path) -> Iterator[str]:
    """The lines of the log that is there now; it never waits for more."""
    try:
        descriptor = os.open(log, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return
    text = b""
    try:
        while True:
            with contextlib.suppress(BrokenPipeError):  # a record was overwritten while we read
                record = os.read(descriptor, LONGEST_RECORD)
                if not record:
                    break
                text += record
    except OSError:  # no more of it for now, or not for us
        pass
    finally:
        os.close(descriptor)
    yield from text.decode(errors="replace").splitlines()
