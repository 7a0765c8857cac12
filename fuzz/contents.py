"""What a target is made of, as one hash: two targets of one hash are one program."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path

import kvzero
from fuzz import version

OURS = ("kvzero", "fuzz", "oracles")


def of_built_in(name: str) -> str:
    """The hash of a built-in target: its name, kvzero's version and source files."""
    root = Path(kvzero.__file__).parent
    fill = Path(__file__).with_name("index_fill.py")
    return _digest(name, root.parent, [*sorted(root.rglob("*.py")), fill])


def of_file(name: str, file: Path) -> str:
    """The hash of a target's file, and of the modules loaded so far from the same folder or below.

    What it imports only when it is called, and what is installed, is not in it.

    Args:
        name: the target's name in its module.
        file: the module's file.
    """
    return _digest(name, file.resolve().parent, files_of(file))


def files_of(file: Path) -> list[Path]:
    """A target's file, then the files that were loaded so far from the same folder or below."""
    own = file.resolve()
    return [own, *sorted(set(beside(own.parent)) - {own})]


def beside(folder: Path) -> dict[Path, str]:
    """Files of the loaded modules below a folder and their names; neither ours nor installed ones."""
    found = {}
    for name, module in list(sys.modules.items()):
        place = getattr(module, "__file__", None)
        if not isinstance(place, str) or name.split(".")[0] in OURS:
            continue
        path = Path(place).resolve() if place.startswith(str(folder)) else Path(place)
        if folder in path.parents and path.suffix == ".py" and "site-packages" not in path.parts:
            found[path] = name
    return found


def _digest(name: str, root: Path, files: Iterable[Path]) -> str:
    digest = hashlib.sha256(f"{version()}\0{name}".encode())
    for path in sorted(set(files)):
        digest.update(f"\0{path.relative_to(root).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
