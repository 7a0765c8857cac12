"""From a source and an operator to mutants: one place changed in the text, the rest as it was written."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from fuzz.bench.mutants.operators import OPERATORS
from fuzz.bench.mutants.sources import SOURCES


@dataclass(frozen=True)
class Mutant:
    """A source with one place changed.

    Attributes:
        name: ``source/operator/number``, counted over the places of the source; no line number, so that it stays when
            text around it moves.
        source: key in ``SOURCES``.
        operator: key in ``OPERATORS``.
        before: what stood there.
        after: what stands there now.
        text: the whole source.
    """

    name: str
    source: str
    operator: str
    before: str
    after: str
    text: str

    @property
    def locator(self) -> str:
        """What ``--target`` takes."""
        return f"fuzz.bench.mutants:{self.name}"

    @property
    def line(self) -> str:
        """The first line that is changed, as it stands in the source."""
        pairs = zip(SOURCES[self.source].text.splitlines(), self.text.splitlines(), strict=False)
        return next(was.strip() for was, is_now in pairs if was != is_now)


CHECKS = ("require_units(", "require_elements(", "require_whole_elements(")
"""Calls that raise, or do nothing."""


@cache
def mutants(source: str) -> dict[str, Mutant]:
    """All mutants of a source, by name; texts that two operators would both make are kept once."""
    text = SOURCES[source].text
    found: dict[str, Mutant] = {}
    seen = {ast.dump(ast.parse(text))}
    nodes = list(_places(ast.parse(text), SOURCES[source].left_out))
    for operator, replacements in OPERATORS.items():
        number = 0
        for node, names in nodes:
            for after in replacements(node):
                if isinstance(node, ast.Name) and after.isidentifier() and after not in names:
                    continue
                made, before = _spliced(text, node, after)
                tree = _parsed(made)
                if tree is None or tree in seen:
                    continue
                seen.add(tree)
                number += 1
                name = f"{source}/{operator}/{number}"
                found[name] = Mutant(name, source, operator, before, after, made)
    return found


def every() -> dict[str, Mutant]:
    """The mutants of all sources."""
    return {name: mutant for source in SOURCES for name, mutant in mutants(source).items()}


def _places(tree: ast.Module, left_out: tuple[str, ...]) -> Iterator[tuple[ast.AST, set[str]]]:
    """Nodes of all function bodies, in the order of the text, and the names that their function knows."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name not in left_out:
            names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
            names |= {argument.arg for argument in function.args.args}
            found = [node for statement in function.body for node in _below(statement)]
            yield from ((node, names) for node in found)


def _below(node: ast.AST) -> Iterator[ast.AST]:
    """A statement's nodes, but for what no legal case sees: errors, checks that only raise, tables without segments."""
    if isinstance(node, ast.Raise | ast.FunctionDef):
        return
    if isinstance(node, ast.If) and (isinstance(node.body[0], ast.Raise) or ast.unparse(node.test) == "not len(table)"):
        return
    if isinstance(node, ast.Expr) and ast.unparse(node).startswith(CHECKS):
        return
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "integer":
        yield from _below(node.args[2])  # the value that it checks and gives
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name == "annotation":
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _below(child)


def _spliced(text: str, node: ast.AST, after: str) -> tuple[str, str]:
    """The text with a node replaced, and the node's own text."""
    lines = text.encode().splitlines(keepends=True)
    first, last = _span(node)
    before = [sum(map(len, lines[: line - 1])) + column for line, column in (first, last)]
    whole = b"".join(lines)
    return (whole[: before[0]] + after.encode() + whole[before[1] :]).decode(), whole[before[0] : before[1]].decode()


def _span(node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
    if isinstance(
        node, ast.comprehension
    ):  # it has no place of its own: from its target, "for " ahead, to its last test
        end = (node.ifs or [node.iter])[-1]
        start = (node.target.lineno, node.target.col_offset - len("for "))
        return start, (end.end_lineno or 0, end.end_col_offset or 0)
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


def _parsed(text: str) -> str | None:
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:
        return None
