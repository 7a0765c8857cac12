"""Source files joined into one text: what they import of ours comes first, in the same namespace."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

from fuzz.errors import UsageError

OURS = ("kvzero",)
"""Packages whose modules are inlined; everything else stays an import."""


def joined(source: str, where: str) -> str:
    """A module's text with the modules of ours that it imports written out before it.

    A module that is imported whole becomes a namespace of the names it defines.

    Args:
        source: the module's text.
        where: what to call it in an error.

    Raises:
        UsageError: if it imports something of ours in a way that cannot be joined.
    """
    parts: list[str] = []
    _add(source, where, parts, set())
    return "\n\n".join(part for part in parts if part.strip())


def source_of(module: str) -> str | None:
    """The text of an importable module, which is not imported for it; None for a package."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None or spec.submodule_search_locations is not None:
        return None
    return Path(spec.origin).read_text()


def _add(source: str, where: str, parts: list[str], done: set[str]) -> None:
    tree = ast.parse(source)
    dropped = set(_docstring(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(_ours(alias.name) for alias in node.names):
            raise UsageError(f"{where}: 'import {node.names[0].name}' cannot be exported; import its names with from")
        if not isinstance(node, ast.ImportFrom) or node.level or not node.module:
            continue
        if node.module == "__future__":
            dropped.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif _ours(node.module):
            dropped.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            _import(node, where, parts, done)
    lines = [line for number, line in enumerate(source.splitlines(), 1) if number not in dropped]
    parts.append("\n".join(lines).strip())


def _import(node: ast.ImportFrom, where: str, parts: list[str], done: set[str]) -> None:
    if any(alias.asname for alias in node.names):
        raise UsageError(f"{where}: 'from {node.module} import … as …' cannot be exported; import without as")
    text = source_of(str(node.module))
    if text is not None:
        _once(str(node.module), text, parts, done)
        return
    for alias in node.names:
        module = f"{node.module}.{alias.name}"
        text = source_of(module)
        if text is None:
            home = f"{node.module}.segments"  # what the package itself gives away lives there
            _once(home, source_of(home) or "", parts, done)
            continue
        if _once(module, text, parts, done):
            names = _defined(text)
            parts.append(f"{alias.name} = types.SimpleNamespace({', '.join(f'{name}={name}' for name in names)})")


def _docstring(tree: ast.Module) -> range:
    """The lines of a module's docstring: one in the middle of a script says nothing."""
    if ast.get_docstring(tree) is None:
        return range(0)
    return range(tree.body[0].lineno, (tree.body[0].end_lineno or 0) + 1)


def _once(module: str, text: str, parts: list[str], done: set[str]) -> bool:
    if module in done:
        return False
    done.add(module)
    _add(text, module, parts, done)
    return True


def _defined(text: str) -> list[str]:
    names: list[str] = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
    return names


def _ours(module: str) -> bool:
    return module.split(".", maxsplit=1)[0] in OURS
