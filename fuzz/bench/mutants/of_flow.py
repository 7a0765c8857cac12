"""Operators on conditions: a bound off by one, a mask or an early return that is lost."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_NEIGHBOURS: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Lt: ast.LtE(), ast.LtE: ast.Lt(), ast.Gt: ast.GtE(), ast.GtE: ast.Gt(),
}  # fmt: skip


def compare_off_by_one(node: ast.AST) -> Iterator[str]:
    """``<`` for ``<=``, and so on."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _NEIGHBOURS:
        other = _NEIGHBOURS[type(node.ops[0])]
        yield ast.unparse(ast.Compare(node.left, [other], node.comparators))


def mask_dropped(node: ast.AST) -> Iterator[str]:
    """A store without its mask, or with one that is always, or never, true for a lane at an end."""
    if not isinstance(node, ast.keyword) or node.arg != "mask" or not isinstance(node.value, ast.Compare):
        return
    yield "mask=None"
    left, right = ast.unparse(node.value.left), ast.unparse(node.value.comparators[0])
    yield f"mask={left} >= 0"
    yield f"mask={left} < {right} + 1"
    yield f"mask={left} < {right} - 1"
    yield f"mask=({left} < {right}) & ({left} > 0)"


def early_return_lost(node: ast.AST) -> Iterator[str]:
    """An ``if`` that only leaves, or one of a comprehension, never does."""
    if isinstance(node, ast.If) and len(node.body) == 1 and isinstance(node.body[0], ast.Return | ast.Continue):
        inside = ast.unparse(node.body[0])
        yield f"if False:\n{' ' * (node.col_offset + 4)}{inside}"
    if isinstance(node, ast.comprehension) and node.ifs:
        yield f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"
    if isinstance(node, ast.If) and len(node.body) == 1 and isinstance(node.body[0], ast.Expr | ast.Assign):
        yield f"if True:\n{' ' * (node.col_offset + 4)}{ast.unparse(node.body[0])}"
    if isinstance(node, ast.BoolOp) and len(node.values) > 1:
        for number in range(len(node.values)):
            rest = node.values[:number] + node.values[number + 1 :]
            yield f"({f' {_word(node)} '.join(f'({ast.unparse(one)})' for one in rest)})"


def _word(node: ast.BoolOp) -> str:
    return "and" if isinstance(node.op, ast.And) else "or"
