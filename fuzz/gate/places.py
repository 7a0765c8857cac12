"""Where in its source a target is at fault: the kernel that was launched, or else its own function."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from fuzz import revisions


class Place(NamedTuple):
    """A line of a file; lines count from 1."""

    path: Path
    line: int


def place(target: str, files: Sequence[str], launches: Iterable[str] = ()) -> Place | None:
    """The kernel that was launched last and stands in a target's files, else the target's function, else its file.

    Args:
        target: locator.
        files: the target's file, then those beside it.
        launches: as a verdict has them, ``name(grid)``.
    """
    if not files:
        return None
    paths = [Path(file) for file in files]
    for name in reversed([launch.partition("(")[0] for launch in launches]):
        found = _first(paths, name, kernels=True)
        if found:
            return _as_named(target, paths[0], found)
    function = _first(paths[:1], target.rpartition(":")[2], kernels=False)
    return _as_named(target, paths[0], function or Place(paths[0], 1))


def uri(path: Path) -> tuple[str, bool]:
    """A file as a URI, and whether that counts from the repository's root (or, without one, from the folder here)."""
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - a link keeps the name that the repository knows
    here = Path.cwd()
    root = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    if root in absolute.parents:
        return quote(absolute.relative_to(root).as_posix()), True
    return absolute.as_uri(), False


def _first(paths: Sequence[Path], name: str, *, kernels: bool) -> Place | None:
    """The first function of a name, or the first kernel of it."""
    for path in paths:
        for node in ast.walk(ast.parse(path.read_bytes())):
            if not isinstance(node, ast.FunctionDef) or node.name != name:
                continue
            if not kernels or any(map(_is_jit, node.decorator_list)):
                return Place(path, node.lineno)
    return None


def _is_jit(decorator: ast.expr) -> bool:
    """``jit``, ``triton.jit`` or a call of them."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called).split(".")[-1] == "jit"


def _as_named(target: str, own: Path, found: Place) -> Place:
    """A place in a revision that was written out, as the path that it has in the repository."""
    if not target.startswith(revisions.PREFIX):
        return found
    folder = Path(revisions.parsed(target).path).parent
    return Place(folder / found.path.relative_to(own.parent), found.line)
