"""Source files joined into one text: what they import of ours comes first, in the same namespace."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

from fuzz.errors import UsageError

OURS = ("kvzero", "fuzz")
"""Packages whose modules are written out; everything else stays an import."""


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
    """The text of a module or of a package's ``__init__``, without importing it or its parents."""
    file = file_of(module)
    return file.read_text() if file else None


def file_of(module: str) -> Path | None:
    """The file of a module or of a package's ``__init__``, without importing it or its parents."""
    top, *rest = module.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None:
        return None
    if not rest:
        return Path(spec.origin) if spec.origin else None
    for folder in spec.submodule_search_locations or ():
        path = Path(folder, *rest)
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                return file
    return None


def _add(source: str, where: str, parts: list[str], done: set[str]) -> None:
    tree = ast.parse(source)
    dropped = set(_docstring(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(_ours(alias.name) for alias in node.names):
            raise UsageError(f"{where}: 'import {node.names[0].name}' cannot be exported; import its names with from")
        if isinstance(node, ast.ImportFrom) and _ours(node.module or "") and node not in tree.body:
            raise UsageError(f"{where}: 'from {node.module} import' must stand at the file's top to be exported")
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        from_ours = isinstance(node, ast.ImportFrom) and _ours(node.module or "")
        if isinstance(node, ast.ImportFrom) and (from_ours or node.module == "__future__"):
            if after is not None and after.lineno == node.end_lineno:
                raise UsageError(f"{where}: line {node.lineno}: put the import on a line of its own to export it")
            dropped.update(_lines(node))
        if isinstance(node, ast.ImportFrom) and from_ours:
            _import(node, where, parts, done)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'":
            dropped.update(_lines(node))
    lines = [line for number, line in enumerate(source.splitlines(), 1) if number not in dropped]
    parts.append("\n".join(lines).strip())


def _import(node: ast.ImportFrom, where: str, parts: list[str], done: set[str]) -> None:
    home = str(node.module)
    if any(alias.asname for alias in node.names):
        raise UsageError(f"{where}: 'from {home} import … as …' cannot be exported; import without as")
    modules = {alias.name: source_of(f"{home}.{alias.name}") for alias in node.names}
    if None in modules.values():
        text = source_of(home)
        if text is None:
            raise UsageError(f"{where}: the source of {home} was not found, so it cannot be exported")
        _once(home, text, parts, done)
    for name, text in modules.items():
        if text is not None and _once(f"{home}.{name}", text, parts, done):
            namespace = ", ".join(f"{defined}={defined}" for defined in _defined(text))
            parts.append(f"{name} = types.SimpleNamespace({namespace})")


def _once(module: str, text: str, parts: list[str], done: set[str]) -> bool:
    if module in done:
        return False
    done.add(module)
    _add(text, module, parts, done)
    return True


def _docstring(tree: ast.Module) -> range:
    """The lines of a module's docstring: one in the middle of a script says nothing."""
    if ast.get_docstring(tree) is None:
        return range(0)
    return _lines(tree.body[0])


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


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
