"""Corpus folders: history and regressions, never deleted by a program, and the finds of runs.

``history/`` holds geometries of public bugs, ``regressions/`` accepted finds; a copy of both ships
with the package. A run's finds go to ``crashing/``, one file a bucket.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from fuzz import codec, whole
from fuzz.built_in import BUILT_IN
from fuzz.case import Case, Origin
from fuzz.errors import CaseError, CorpusError
from fuzz.simplicity import order
from fuzz.verdict import Bucket

KEPT = ("history", "regressions")
CRASHING = "crashing"
FOLDERS = (*KEPT, CRASHING)
DEFAULT = "kvzero-corpus"

_HERE = Path(__file__).parent


class Entry(NamedTuple):
    """A case file of a corpus and the folder that it stands in."""

    path: Path
    folder: str
    case: Case


def shipped() -> Path:
    """The corpus that came with the package: the checkout's, or the copy inside the wheel."""
    return _checkout() or _HERE / "shipped"


def default() -> Path:
    """Where finds go when no folder is named: the checkout's corpus, else ``./kvzero-corpus``."""
    return _checkout() or Path(DEFAULT)


def _checkout() -> Path | None:
    folder = _HERE.parent / "corpus"
    return folder if (folder / "history").is_dir() else None


def entries(root: Path, folders: tuple[str, ...] = FOLDERS) -> Iterator[Entry]:
    """The case files of a corpus, by folder and name; each path once.

    Raises:
        CaseError: for a file that breaks a rule.
    """
    for folder in folders:
        for path in sorted((root / folder).glob("*.json")):
            yield Entry(path, folder, codec.read(path))


def known(*roots: Path) -> set[Bucket]:
    """Buckets that a case with a reference names as still shown.

    Raises:
        CaseError: for a file that breaks a rule.
    """
    buckets = set()
    for root in dict.fromkeys(root.resolve() for root in roots):
        for entry in entries(root, KEPT):
            if entry.case.origin is not None and entry.case.origin.ref:
                buckets |= set(expected(entry.case))
    return buckets


def expected(case: Case) -> list[Bucket]:
    """The buckets that a case's ``finds`` name."""
    found = []
    for key, label in case.finds.items():
        target, _, device_profile = key.rpartition("@")
        kind, _, detail = label.partition(":")
        found.append(Bucket(target, device_profile, kind, detail))
    return found


def checked(root: Path) -> list[Entry]:
    """Every case of a corpus that must hold some.

    Raises:
        CorpusError: if the folder is missing or holds no case, or a file's name is not its own.
        CaseError: for a file that breaks a rule.
    """
    if not root.is_dir():
        raise CorpusError(f"corpus={root}: there is no such folder; name one with --corpus DIR")
    found = list(entries(root))
    if not found:
        raise CorpusError(
            f"corpus={root}: no case in {', '.join(FOLDERS)}; a run of kvzero fuzz leaves its finds there"
        )
    for entry in found:
        name = codec.file_name(entry.case)
        if entry.path.name != name:
            raise CorpusError(f"{entry.path}: its title and content make the name {name}; rename the file")
        strangers = [bucket.target for bucket in expected(entry.case) if bucket.target not in BUILT_IN]
        if strangers and entry.folder != CRASHING:
            raise CorpusError(f"{entry.path}: finds names {strangers[0]}, which is not built in and must pass")
    return found


def keep(root: Path, case: Case, bucket: Bucket) -> Path:
    """Write a find to ``crashing/``; a smaller case takes the place of a larger one of its bucket.

    Returns:
        The file that now holds the bucket's smallest case.

    Raises:
        OSError: if it cannot be written; nothing is left half done.
    """
    folder = root / CRASHING
    folder.mkdir(parents=True, exist_ok=True)
    older = list(_of_bucket(folder, bucket))
    for entry in older:
        if order(entry.case) <= order(case):
            return entry.path
    name = bucket.target.rsplit("/", 1)[-1]
    kept = replace(case, title=f"{name} on {bucket.device_profile}: {bucket.label}", finds={bucket.key: bucket.label})
    path = folder / codec.file_name(kept)
    if path.exists():  # the same case of a target of the same name elsewhere
        kept = replace(kept, finds=codec.read(path).finds | kept.finds)
    whole.write(path, codec.encode(kept))
    for entry in older:
        if entry.path != path:
            forget(entry.path, bucket)
    return path


def forget(path: Path, bucket: Bucket) -> None:
    """Take a bucket out of a file; the file goes with its last one, if another run did not take it."""
    if not path.exists():
        return
    case = codec.read(path)
    others = {key: label for key, label in case.finds.items() if key != bucket.key}
    if others:
        whole.write(path, codec.encode(replace(case, finds=others)))
    else:
        path.unlink(missing_ok=True)


def accept(root: Path, path: Path, title: str | None, ref: str | None, shown: dict[str, str]) -> Path:
    """Move a find to ``regressions/``, where it is replayed for good.

    Args:
        root: the corpus.
        path: the find.
        title: a new title, or None.
        ref: a public reference, or None.
        shown: what built-in targets show on the case, as in ``finds``. All other targets leave the
            file: they must pass it from now on.

    Raises:
        CaseError: if the file is no case.
        CorpusError: if regressions/ has a case of that name and content already.
    """
    case = codec.read(path)
    accepted = replace(
        case,
        title=title or case.title,
        finds={bucket.key: bucket.label for bucket in expected(case) if bucket.target in BUILT_IN} | shown,
        origin=replace(case.origin or Origin("hand"), ref=ref) if ref else case.origin,
    )
    folder = root / "regressions"
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / codec.file_name(accepted)
    if kept.exists():
        raise CorpusError(f"{kept}: is there already; give another --title, or delete {path}")
    whole.write(kept, codec.encode(accepted))
    path.unlink()
    return kept


def _of_bucket(folder: Path, bucket: Bucket) -> Iterator[Entry]:
    for path in sorted(folder.glob("*.json")):
        try:
            case = codec.read(path)
        except CaseError:
            continue  # somebody else's file; corpus check names it
        if bucket in expected(case):
            yield Entry(path, CRASHING, case)
