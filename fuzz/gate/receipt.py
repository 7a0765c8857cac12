"""Receipts: what a gate on a GPU found out, to be shown where there is no GPU."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection
from pathlib import Path

import msgspec

from fuzz import version, whole
from fuzz.bench.machine import machine
from fuzz.errors import UsageError
from fuzz.gate.asked import Asked, less
from fuzz.gate.results import GateReport

SCHEMA = 3
"""A later form of the record gets another number."""

Value = str | int | float | None


class _Numbered(msgspec.Struct, frozen=True):
    """What every form of the record has."""

    schema: int


class Ended(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A check that ended: its state, its evidence in words, the outcomes of its cases."""

    state: str
    words: str
    counts: dict[str, int]


class Receipt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A gate in what counts elsewhere.

    Attributes:
        schema: of this record.
        kvzero: the tool's version.
        made: when, in UTC.
        machine: processor and versions of Python, torch, Triton and NumPy.
        device: the GPU in words.
        engine: always ``cuda``.
        device_profile: whose launch limits held.
        target: locator.
        base: locator, or None.
        asked: what the gate was asked.
        seed: of the search.
        checks: state, evidence and outcomes by check.
        waived: labels of finds that a waiver let pass.
        verdict: ``yes``, ``no`` or ``cannot say``.
        line: the verdict in a line.
        seconds: how long it took.
    """

    schema: int
    kvzero: str
    made: dt.datetime
    machine: dict[str, Value]
    device: str
    engine: str
    device_profile: str
    target: str
    base: str | None
    asked: Asked
    seed: int
    checks: dict[str, Ended]
    waived: tuple[str, ...]
    verdict: str
    line: str
    seconds: float


def of_report(report: GateReport, asked: Asked) -> Receipt:
    """The receipt of a gate that is over."""
    return Receipt(
        SCHEMA,
        version(),
        dt.datetime.now(dt.UTC).replace(microsecond=0),
        {name: value if isinstance(value, Value) else str(value) for name, value in machine().items()},
        report.device,
        report.engine,
        report.device_profile,
        report.target,
        report.base,
        asked,
        report.seed,
        {check.name: Ended(check.state, check.words, check.counts) for check in report.checks},
        tuple(find.shown.finding.bucket.label for find in report.finds if find.shown.standing == "waived"),
        report.verdict,
        report.line,
        round(report.seconds, 3),
    )


def write(path: Path, receipt: Receipt) -> None:
    """Write or replace a receipt.

    Raises:
        OSError: if it cannot be written; nothing is left behind.
    """
    text = json.dumps(msgspec.to_builtins(receipt), indent=2, sort_keys=True) + "\n"
    whole.write(path, text)


def read(path: Path) -> Receipt:
    """The receipt in a file.

    Raises:
        UsageError: for a file that cannot be read or is no receipt.
    """
    way = "name a file that kvzero gate --receipt wrote"
    try:
        text = path.read_bytes()
        schema = msgspec.json.decode(text, type=_Numbered).schema
        if schema != SCHEMA:
            raise UsageError(f"check_receipt={path}: schema={schema}: must be {SCHEMA}; hold the gate on a GPU again")
        return msgspec.json.decode(text, type=Receipt)
    except OSError as error:
        raise UsageError(f"check_receipt={path}: {error.strerror}; {way}") from None
    except (ValueError, msgspec.ValidationError) as error:
        raise UsageError(f"check_receipt={path}: {error}; {way}") from None


def refused(receipt: Receipt, asked: Asked, device_profile: str, waived: Collection[str] = ()) -> str | None:
    """Why a receipt does not hold for a gate, in words; None if it does.

    Args:
        receipt: of another gate.
        asked: of this one, beside the receipt's.
        device_profile: whose launch limits hold in this one.
        waived: labels that this gate's waivers let pass.
    """
    there, here = receipt.asked.contents, asked.contents
    if receipt.kvzero != version():
        return f"is of kvzero {receipt.kvzero}, this is {version()}"
    if receipt.engine != "cuda":
        return f"is of engine {receipt.engine}, and of no GPU"
    if receipt.device_profile != device_profile:
        return f"is of the launch limits of {receipt.device_profile}, and those of {device_profile} hold here"
    if there[:1] != here[:1]:
        return f"is of another target: content {_short(there[:1])}, here {_short(here[:1])}"
    if there != here:
        return f"is against another base: content {_short(there[1:])}, here {_short(here[1:])}"
    if receipt.asked.corpus != asked.corpus:
        return f"is of another corpus: {receipt.asked.corpus[:8]}, here {asked.corpus[:8]}"
    missing = less(receipt.asked, asked)
    if missing:
        return f"is of a gate {missing}"
    if receipt.verdict != "yes":
        return f"says {receipt.line}"
    alone = sorted(set(receipt.waived) - set(waived))
    return f"waives {', '.join(alone)}, and no waiver here does" if alone else None


def _short(contents: tuple[str, ...]) -> str:
    return ", ".join(content[:8] for content in contents) or "none"
