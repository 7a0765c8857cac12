"""Targets of another revision: ``git:REV:path/file.py:name``, its folder as git has it, written out to be imported."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from fuzz.errors import UsageError

PREFIX = "git:"

FORM = "the form is git:REV:path/file.py:name"


class Revision(NamedTuple):
    """A target's revision, its file's path as the user gave it, and its name in that file."""

    rev: str
    path: str
    name: str


class _Blob(NamedTuple):
    """A file of a tree: its path below it, its object and its size in bytes."""

    path: str
    sha: str
    size: int


def parsed(locator: str) -> Revision:
    """The parts of a locator.

    Raises:
        UsageError: if it has another form.
    """
    parts = locator.removeprefix(PREFIX).split(":")
    if len(parts) != 3 or not all(parts):
        raise UsageError(f"target={locator!r}: has not the three parts of a revision's target; {FORM}")
    revision = Revision(*parts)
    if revision.rev.startswith("-"):
        raise UsageError(f"target={locator!r}: a revision does not begin with a dash; {FORM}")
    if not revision.path.endswith(".py"):
        raise UsageError(f"target={locator!r}: {revision.path} is no Python file; {FORM}")
    if not revision.name.isidentifier():
        raise UsageError(f"target={locator!r}: {revision.name} is no name; {FORM}")
    return revision


def check(locator: str) -> None:
    """Refuse a locator whose revision or file git does not have.

    Raises:
        UsageError: naming what is missing.
    """
    _tree(locator, parsed(locator))


def is_new(locator: str) -> bool:
    """Whether a locator is of a revision that does not have its file yet.

    Raises:
        UsageError: if there is no git, no such revision, or the locator has another form.
    """
    if not locator.startswith(PREFIX):
        return False
    revision = parsed(locator)
    _commit(locator, revision)
    return _kind(locator, revision, _place(locator, revision)) != b"blob"


def exported(locator: str) -> Path:
    """The file of a locator, written out with all of its folder as it is in that revision.

    Folders are kept by content in the system's temporary folder, so that many workers share one.

    Raises:
        UsageError: if there is no git, no such revision or no such file.
    """
    revision = parsed(locator)
    tree = _tree(locator, revision)
    blobs = _blobs(locator, tree)
    shared = Path(tempfile.gettempdir()) / f"kvzero-git-{os.getuid()}"
    shared.mkdir(mode=0o700, exist_ok=True)
    private = not shared.is_symlink() and shared.stat().st_uid == os.getuid() and not shared.stat().st_mode & 0o077
    folder = shared / tree
    if not (private and _complete(folder, blobs)):
        fresh = Path(tempfile.mkdtemp(prefix=f"{tree[:8]}-", dir=shared if private else None))
        _write(locator, fresh, blobs)
        folder = _moved(fresh, folder) if private else fresh
    return folder / PurePosixPath(revision.path).name


def _tree(locator: str, revision: Revision) -> str:
    """The tree of the file's folder."""
    commit = _commit(locator, revision)
    place = _place(locator, revision)
    if _kind(locator, revision, place) != b"blob":
        raise UsageError(f"target={locator!r}: {revision.rev} has no file {place}; {FORM}")
    folder = os.path.dirname(place)  # noqa: PTH120 - a path in git, not on disk
    return _git(locator, "rev-parse", "--verify", f"{commit}:{folder}").decode().strip()


def _commit(locator: str, revision: Revision) -> str:
    """The commit of a revision."""
    commit = f"{revision.rev}^{{commit}}"
    missing = f"there is no revision {revision.rev}"
    return _git(locator, "rev-parse", "--verify", "--quiet", commit, missing=missing).decode().strip()


def _place(locator: str, revision: Revision) -> str:
    """The file's path from the top of its repository."""
    path = PurePosixPath(os.path.relpath(revision.path))
    inside = _git(locator, "rev-parse", "--show-prefix").decode().strip()
    place = os.path.normpath(inside + str(path))
    if place.startswith(".."):
        raise UsageError(f"target={locator!r}: {revision.path} lies outside of the repository; {FORM}")
    return place


def _kind(locator: str, revision: Revision, place: str) -> bytes:
    """What a path is in a revision, ``blob`` or ``tree``; empty if it is not there."""
    listed = _git(locator, "ls-tree", "-z", "--full-tree", f"{revision.rev}^{{commit}}", "--", place)
    return listed.split(b"\t")[0].split(b" ")[1] if listed else b""


def _blobs(locator: str, tree: str) -> list[_Blob]:
    """The regular files of a tree."""
    blobs = []
    for row in _git(locator, "ls-tree", "-r", "-z", "-l", "--full-tree", tree).split(b"\0"):
        words, _, path = row.partition(b"\t")
        if words.startswith(b"100"):  # links and submodules are left out
            _, _, sha, size = words.split()
            blobs.append(_Blob(os.fsdecode(path), sha.decode(), int(size)))
    return blobs


def _complete(folder: Path, blobs: list[_Blob]) -> bool:
    """Whether a folder that was written earlier still has every file."""
    try:
        return all((folder / blob.path).stat().st_size == blob.size for blob in blobs)
    except OSError:
        return False


def _write(locator: str, folder: Path, blobs: list[_Blob]) -> None:
    asked = "".join(f"{blob.sha}\n" for blob in blobs).encode()
    text = _git(locator, "cat-file", "--batch", given=asked)
    place = 0
    for blob in blobs:
        place = text.index(b"\n", place) + 1
        path = folder / blob.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text[place : place + blob.size])
        place += blob.size + 1


def _moved(fresh: Path, folder: Path) -> Path:
    """The folder under its own name; where another worker or a damaged one has that name, it stays where it is."""
    try:
        return fresh.rename(folder)
    except OSError:
        return fresh


def _git(locator: str, *arguments: str, missing: str = "", given: bytes = b"") -> bytes:
    try:
        done = subprocess.run(["git", *arguments], input=given, capture_output=True, check=False)  # noqa: S607
    except FileNotFoundError:
        raise UsageError(f"target={locator!r}: there is no git on this machine; name a file instead") from None
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip().splitlines()
        outside = [line for line in words if "not a git repository" in line]
        reason = "this folder is in no git repository" if outside else missing or (words or ["git failed"])[-1]
        raise UsageError(f"target={locator!r}: {reason}; {FORM}")
    return done.stdout
