"""How the GPUs of this machine are, as ``nvidia-smi`` and the kernel log tell it; torch is not asked."""

from __future__ import annotations

import contextlib
import csv
import os
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.xids import KERNEL_LOG, Xid, xids

SECONDS = 10.0
"""Longest that nvidia-smi may take: it answers in less than two, and never where a GPU hangs in the driver."""

FIELDS = (
    "name",
    "uuid",
    "driver_version",
    "pci.bus_id",
    "memory.used",
    "memory.total",
    "temperature.gpu",
    "utilization.gpu",
    "ecc.errors.uncorrected.volatile.total",
)
SLOWED = ("clocks_event_reasons.active", "clocks_throttle_reasons.active")
"""The last field, by its name in newer drivers and in older ones, which know only their own."""

REASONS = {
    0x4: "its power cap",
    0x8: "a hardware slowdown",
    0x20: "heat, by the driver",
    0x40: "heat, by the hardware",
    0x80: "the power supply's brake",
}
"""Bits of NVML's clock event reasons; others (idle, a clock that somebody set) are no trouble."""

MIB = 2**20


@dataclass(frozen=True)
class Gpu:
    """One GPU; what its driver does not tell is None.

    Attributes:
        name: the product.
        uuid: which one it is.
        driver: the driver's version.
        bus: place on the PCI bus.
        memory_used: bytes.
        memory_total: bytes.
        temperature: degrees Celsius.
        utilisation: percent of the last moment in which a kernel ran.
        uncorrected: memory errors beyond ECC since the driver was loaded.
        slowed: bits that tell why its clocks are low.
    """

    name: str
    uuid: str
    driver: str
    bus: str
    memory_used: int | None
    memory_total: int | None
    temperature: int | None
    utilisation: int | None
    uncorrected: int | None
    slowed: int | None

    def words(self) -> str:
        """One line for people."""
        parts = [self.name, self.uuid, f"at {self.bus}", f"driver {self.driver}"]
        if self.memory_used is not None and self.memory_total is not None:
            parts.append(f"{self.memory_used / 2**30:.1f} of {self.memory_total / 2**30:.1f} GiB used")
        if self.temperature is not None:
            parts.append(f"{self.temperature} °C")
        if self.utilisation is not None:
            parts.append(f"{self.utilisation} % busy")
        if self.uncorrected is not None:
            parts.append(f"{self.uncorrected} uncorrected memory errors")
        if self.slowed is not None:
            reasons = [words for bit, words in REASONS.items() if self.slowed & bit]
            parts.append(f"slowed by {' and '.join(reasons)}" if reasons else "not slowed")
        return ", ".join(parts)


@dataclass(frozen=True)
class Health:
    """All GPUs, the errors of their driver, and what else nvidia-smi says or why it says nothing."""

    gpus: list[Gpu] = field(default_factory=list)
    xids: list[Xid] = field(default_factory=list)
    trouble: str = ""

    def words(self) -> list[str]:
        """Lines for people: one a GPU and one an error; none on a machine without a GPU."""
        lines = [f"gpu: {gpu.words()}" for gpu in self.gpus]
        lines += [f"gpu: {self.trouble}"] if self.trouble else []
        return lines + [f"gpu: {xid.words()}" for xid in self.xids]


def health(since: float = 0.0, log: Path = KERNEL_LOG) -> Health:
    """Ask now.

    Args:
        since: seconds since the epoch, from which on errors count.
        log: the kernel log.
    """
    errors = xids(since, log)
    trouble = ""
    for slowed in SLOWED:
        try:
            return _read(_ask((*FIELDS, slowed)), errors)
        except FileNotFoundError:
            return Health([], errors)
        except subprocess.TimeoutExpired:
            return Health([], errors, f"nvidia-smi has not answered in {SECONDS:g} s")
        except (OSError, ValueError) as error:
            trouble = trouble or f"nvidia-smi: {error}"
    return Health([], errors, trouble)


def _ask(fields: tuple[str, ...]) -> str:
    """What nvidia-smi prints.

    One that hangs in the driver cannot be killed: it is left behind, for waiting would hang as well.

    Raises:
        ValueError: what it says instead.
    """
    process = subprocess.Popen(
        ["nvidia-smi", f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits"],  # noqa: S607 - from PATH
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        process_group=0,
    )
    try:
        text, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        raise
    if process.returncode:
        raise ValueError(" ".join(text.split()) or f"ended with {process.returncode}")
    return text


def _read(text: str, errors: list[Xid]) -> Health:
    """A line of as many fields as were asked for is a GPU; any other is a warning, as of a damaged board.

    Raises:
        ValueError: if a field is no number where one was asked for.
    """
    rows = list(csv.reader(text.splitlines(), skipinitialspace=True))
    asked = len(FIELDS) + 1
    others = [", ".join(row) for row in rows if row and len(row) != asked]
    trouble = f"nvidia-smi: {' | '.join(others)}" if others else ""
    return Health([_gpu(row) for row in rows if len(row) == asked], errors, trouble)


def _gpu(row: list[str]) -> Gpu:
    *texts, used, total, temperature, utilisation, uncorrected, slowed = (_told(text) for text in row)
    name, uuid, driver, bus = (text or "unknown" for text in texts)
    numbers = [None if text is None else int(text, 0) for text in (temperature, utilisation, uncorrected, slowed)]
    memory = [None if text is None else int(text) * MIB for text in (used, total)]
    return Gpu(name, uuid, driver, bus, *memory, *numbers)


def _told(text: str) -> str | None:
    """A field, or None where the driver tells ``[N/A]`` or the like."""
    return None if not text or text.startswith("[") or text == "N/A" else text
