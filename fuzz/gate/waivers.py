"""Waivers: finds that a team takes on for a while, each with a reason, a link, an owner and a last day."""

from __future__ import annotations

import datetime as dt
import json
import tomllib
from pathlib import Path

import msgspec

from fuzz.errors import UsageError
from fuzz.verdict import KINDS


class Waiver(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bucket that does not block until a day is over.

    Attributes:
        bucket: label of the find, ``kind`` or ``kind:detail``.
        reason: why it may stay.
        link: where it is followed up.
        owner: who does.
        expires: its last day.
    """

    bucket: str
    reason: str
    link: str
    owner: str
    expires: dt.date


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    waivers: list[Waiver]


def read(path: Path, today: dt.date) -> dict[str, Waiver]:
    """The waivers of a file, by bucket; ``[[waivers]]`` in TOML, ``{"waivers": [...]}`` in JSON.

    Raises:
        UsageError: for a file that cannot be read, and a waiver that is malformed, double or expired.
    """
    try:
        text = path.read_text()
        content = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
        waivers = msgspec.convert(content, _File).waivers
    except OSError as error:
        raise UsageError(f"waivers={path}: {error.strerror}; name a file that can be read") from None
    except (ValueError, msgspec.ValidationError) as error:
        raise UsageError(f"waivers={path}: {error}; each waiver has {', '.join(Waiver.__struct_fields__)}") from None
    found: dict[str, Waiver] = {}
    for number, waiver in enumerate(waivers):
        where = f"waivers={path}: waivers[{number}]"
        if waiver.bucket.partition(":")[0] not in KINDS:
            raise UsageError(f"{where}.bucket={waiver.bucket!r}: must be kind or kind:detail, as a gate prints it")
        for name in ("reason", "link", "owner"):
            if not getattr(waiver, name).strip():
                raise UsageError(f"{where}.{name}: is empty; say it for {waiver.bucket}")
        if waiver.bucket in found:
            raise UsageError(f"{where}.bucket={waiver.bucket!r}: is there twice; leave one out")
        if waiver.expires < today:
            raise UsageError(
                f"{where}.expires={waiver.expires}: {waiver.bucket} of {waiver.owner} has expired; "
                "mend the kernel, or give it a later day"
            )
        found[waiver.bucket] = waiver
    return found
