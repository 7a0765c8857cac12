"""Case files: strict JSON with sorted keys, one segment, layer or case of a sequence a line, sizes in bytes."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import msgspec

from fuzz.case import SCHEMA, Case
from fuzz.errors import CaseError
from fuzz.ids import Ids
from fuzz.rules import broken_rule
from fuzz.verdict import KINDS
from oracles.launches import PROFILES

_LABELS = {"title", "origin", "finds"}
_A_LINE_EACH = ("segments", "layers", "pools", "sequence")


def _encode_ids(value: Any) -> str:
    if isinstance(value, Ids):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no written form")


def _decode_ids(kind: type, value: Any) -> Ids:
    if kind is not Ids or not isinstance(value, str):
        raise ValueError(f"{value!r}: ids are written as text, for instance '0-3,7'")
    return Ids.parse(value)


packer = msgspec.msgpack.Encoder(enc_hook=_encode_ids)
"""Encodes cases, and messages that hold cases, between processes."""


def unpacker(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    """A decoder of such messages."""
    return msgspec.msgpack.Decoder(kind, dec_hook=_decode_ids)


class _Schema(msgspec.Struct):
    schema: int


_schema = msgspec.json.Decoder(_Schema)
_reader = msgspec.json.Decoder(Case, dec_hook=_decode_ids)


def decode(text: str | bytes, where: str = "case") -> Case:
    """Read a case file's text.

    Args:
        text: the JSON text.
        where: what to call the file in an error.

    Raises:
        CaseError: naming file, field, value and the rule that it breaks.
    """
    try:
        schema = _schema.decode(text).schema
        if schema != SCHEMA:
            raise CaseError(f"{where}: schema={schema}: this kvzero reads schema {SCHEMA}")
        case: Case = _reader.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CaseError(f"{where}: {_way_out(str(error))}") from None
    broken = _broken_find(case.finds) or broken_rule(case)
    if broken:
        raise CaseError(f"{where}: {broken}")
    return case


def read(path: Path) -> Case:
    """Read a case file.

    Raises:
        CaseError: if it cannot be read, or breaks a rule.
    """
    try:
        if path.exists() and not path.is_file():
            raise CaseError(f"{path}: is no regular file; name a case file")
        text = path.read_bytes()
    except OSError as error:
        raise CaseError(f"{path}: {error.strerror}; list the corpus with: kvzero corpus list") from None
    return decode(text, str(path))


def encode(case: Case) -> str:
    """The text of a case file, the same for equal cases."""
    fields = _plain(case)
    lines = [f"  {json.dumps(key)}: {_written(key, fields[key])}" for key in sorted(fields)]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _written(key: str, value: Any) -> str:
    if key not in _A_LINE_EACH:
        return json.dumps(value, sort_keys=True, ensure_ascii=False)
    rows = ",\n    ".join(json.dumps(row, sort_keys=True) for row in value)
    return f"[\n    {rows}\n  ]"


def file_name(case: Case) -> str:
    """``slug-12345678.json``: the title's slug and eight digits of the content's SHA-256.

    The content is all that runs: everything but title, origin and finds.
    """
    content = {key: value for key, value in _plain(case).items() if key not in _LABELS}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]
    slug = re.sub(r"[^a-z0-9]+", "-", case.title.lower()).strip("-")[:60].rstrip("-")
    return f"{slug or 'case'}-{digest}.json"


def _plain(case: Case) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(case, enc_hook=_encode_ids)
    fields["schema"] = case.schema  # which the cases of a sequence leave out
    for one in (fields, *fields.get("sequence", ())):
        for call in one["calls"]:
            if "raw" in call:
                call.pop("ids", None)
            else:
                call.setdefault("ids", "")
    return fields


def _broken_find(finds: dict[str, str]) -> str | None:
    for key, label in finds.items():
        target, _, device_profile = key.rpartition("@")
        if not target or device_profile not in PROFILES:
            return f"finds key {key!r}: must be target@device-profile, the latter one of {', '.join(PROFILES)}"
        kind = label.partition(":")[0]
        if kind not in KINDS:
            return f"finds[{key!r}]={label!r}: must be kind:detail, the kind one of {', '.join(KINDS)}"
    return None


def _way_out(message: str) -> str:
    if "truncated" in message:
        return f"{message}; the file ends too early, restore it from version control"
    return message
