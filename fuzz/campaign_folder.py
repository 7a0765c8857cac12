"""A campaign's folder: the plan, the journal, the cases in flight, and who is at it."""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from fuzz import version, whole
from fuzz.errors import UsageError
from fuzz.plan import Plan

LOCK_SECONDS = 0.5
"""How long to try for the lock: ``kvzero status`` holds it for an instant."""

PLAN, JOURNAL, FLIGHT, LOCK = "plan.json", "journal.sqlite", "flight", "lock"


class Written(msgspec.Struct, frozen=True):
    """What ``plan.json`` holds: the plan, who wrote it, where, and what the targets' files were then."""

    plan: Plan
    version: str
    cwd: str
    sources: dict[str, str]
    schema: int = 1


@dataclass(frozen=True)
class CampaignFolder:
    """A folder that is complete since it has its name."""

    path: Path
    written: Written

    @property
    def journal(self) -> Path:
        """The journal's file."""
        return self.path / JOURNAL

    @property
    def slots(self) -> Path:
        """The folder of flight slots."""
        return self.path / FLIGHT

    def changed(self) -> list[str]:
        """In words, what is not as it was when the campaign began."""
        now, before = sources(self.written.plan.targets), self.written.sources
        words = [
            f"target={name}: its file changed since the campaign began" for name in now if now[name] != before.get(name)
        ]
        if version() != self.written.version:
            words.append(f"the campaign began with kvzero {self.written.version}, this is {version()}")
        return words

    @contextmanager
    def held(self) -> Iterator[None]:
        """Be the only process that works on it.

        Raises:
            UsageError: naming the process that does.
        """
        with (self.path / LOCK).open("a+") as file:
            until = time.monotonic() + LOCK_SECONDS
            while not _locked(file.fileno()):
                if time.monotonic() > until:
                    file.seek(0)
                    raise UsageError(
                        f"resume={self.path}: process {file.read().strip()} is at it; wait for it or end it"
                    )
                time.sleep(LOCK_SECONDS / 10)
            file.truncate(0)
            file.write(f"{os.getpid()}\n")
            file.flush()
            yield

    @property
    def busy(self) -> bool:
        """Whether a process works on it."""
        try:
            with (self.path / LOCK).open("r") as file:
                return not _locked(file.fileno())
        except FileNotFoundError:
            return False


def create(path: Path, plan: Plan) -> CampaignFolder:
    """Make a campaign's folder, whole or not at all.

    Raises:
        UsageError: if there is something of that name.
    """
    if path.exists():
        raise UsageError(f"dir={path}: is there already; go on with it by --resume {path}, or name another")
    path.parent.mkdir(parents=True, exist_ok=True)
    written = Written(plan, version(), str(Path.cwd()), sources(plan.targets))
    with whole.folder(path) as made:
        (made / FLIGHT).mkdir()
        (made / PLAN).write_bytes(msgspec.json.format(msgspec.json.encode(written, enc_hook=str)) + b"\n")
    return CampaignFolder(path, written)


def find(path: Path, option: str) -> CampaignFolder:
    """A campaign's folder that is there.

    Raises:
        UsageError: if there is none, naming the option that asked for it.
    """
    file = path / PLAN
    try:
        written = msgspec.json.decode(file.read_bytes(), type=Written, dec_hook=_path)
    except (OSError, msgspec.MsgspecError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"{option}={path}: is no campaign, {PLAN}: {reason}; begin one with --dir") from None
    return CampaignFolder(path, written)


def sources(targets: tuple[str, ...]) -> dict[str, str]:
    """The SHA-256 of each target's file, where it names one."""
    files = {name: Path(name.rpartition(":")[0]) for name in targets}
    return {
        name: hashlib.sha256(file.read_bytes()).hexdigest()
        for name, file in files.items()
        if file.suffix == ".py" and file.is_file()
    }


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _path(kind: type, value: Any) -> Any:
    return kind(value)
