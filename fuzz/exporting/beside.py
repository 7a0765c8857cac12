"""What a target imports from beside it, which a script of one file does not bring along."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path

from fuzz.errors import UsageError
from fuzz.exporting.bundle import OURS


def refuse_beside(source: str, target: str, folder: Path, package: str = "") -> None:
    """Refuse a target that imports a module, a package or a folder beside it.

    Args:
        source: the target's text.
        target: what to call it in an error.
        folder: where its own imports are looked for first.
        package: the top of the package that it is a module of, if it is one; its other modules count as beside it.

    Raises:
        UsageError: naming the import.
    """
    for name in _imported(source):
        top = name.split(".")[0]
        if top not in OURS and (not top or top == package or _lies(top, folder)):
            raise UsageError(
                f"target={target!r}: imports {name}, which lies beside it; put all into one file to export it"
            )


def _imported(source: str) -> Iterator[str]:
    """The modules that a text imports anywhere, those of its own package with their leading dots."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def _lies(top: str, folder: Path) -> bool:
    """Whether an import would take a file or a folder of that name; a folder without code gives way to any module."""
    if (folder / f"{top}.py").is_file() or (folder / top / "__init__.py").is_file():
        return True
    return (folder / top).is_dir() and getattr(importlib.util.find_spec(top), "origin", None) is None
