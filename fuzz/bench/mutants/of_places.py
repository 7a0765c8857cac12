"""Operators on what stands where: stride and page, axes, first and last, bounds of chunks."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_OTHER = {
    "page": ("stride",), "stride": ("page", "step"), "pages": ("strides",), "strides": ("pages",),
    "pages_ptr": ("strides_ptr",), "strides_ptr": ("pages_ptr",), "run": ("step",), "step": ("run", "stride"),
}  # fmt: skip
"""Numbers that were taken for each other; a name that is not there in a function makes no mutant."""

AXES = 3


def stride_for_page(node: ast.AST) -> Iterator[str]:
    """A stride where a page is meant, and the other way round."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield from _OTHER.get(node.id, ())
    if (
        isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and node.attr in ("page", "stride")
        and ast.unparse(node.value) in ("table", "columns")
    ):
        yield f"{ast.unparse(node.value)}.{_OTHER[node.attr][0]}"


def axis_swapped(node: ast.AST) -> Iterator[str]:
    """Another axis of the grid, or of a tensor; two neighbours of a grid in each other's place."""
    if (
        isinstance(node, ast.Call)
        and ast.unparse(node.func) == "tl.program_id"
        and isinstance(node.args[0], ast.Constant)
    ):
        for far in (1, 2):
            yield f"tl.program_id({(int(ast.unparse(node.args[0])) + far) % AXES})"
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "grid" and isinstance(node.value, ast.Tuple):
        parts = [ast.unparse(one) for one in node.value.elts]
        for first in range(len(parts) - 1):
            swapped = [*parts[:first], parts[first + 1], parts[first], *parts[first + 2 :]]
            yield f"grid = ({', '.join(swapped)})"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        yield f"({ast.unparse(node.left)} // {ast.unparse(node.right)})"
    if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith(".shape"):
        yield f"{ast.unparse(node.value)}[-1]"
        yield f"{ast.unparse(node.value)}[1]"


def end_skipped(node: ast.AST) -> Iterator[str]:
    """One id, segment, layer or group less, at the front or at the end."""
    if isinstance(node, ast.Call) and ast.unparse(node) in ("ids.numel()", "len(table)"):
        yield f"({ast.unparse(node)} - 1)"
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "tl.program_id":
        yield f"({ast.unparse(node)} + 1)"
    if isinstance(node, ast.For) and isinstance(node.iter, ast.Name | ast.Attribute):
        yield from _loops(node, ast.unparse(node.iter))
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "range" and len(node.args) == 1:
        yield f"range(1, {ast.unparse(node.args[0])})"
        yield f"range({ast.unparse(node.args[0])} - 1)"
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".items"):
        yield f"list({ast.unparse(node)})[1:]"
        yield f"list({ast.unparse(node)})[:-1]"


def chunk_bound(node: ast.AST) -> Iterator[str]:
    """The number of chunks, or what it is counted from."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "max":
        yield f"{ast.unparse(node.func.value)}.min()"
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("min", "max") and len(node.args) > 1:
        other = "max" if ast.unparse(node.func) == "min" else "min"
        yield f"{other}({', '.join(ast.unparse(one) for one in node.args)})"
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id == "max_chunks":
        yield "(max_chunks + 1)"
        yield "(max_chunks - 1)"


def _loops(node: ast.For, over: str) -> Iterator[str]:
    """The same loop over a part; its body is taken over line by line."""
    for part in ("[1:]", "[:-1]"):
        made = ast.For(node.target, ast.parse(f"list({over}){part}", mode="eval").body, node.body, node.orelse)
        lines = ast.unparse(ast.fix_missing_locations(made)).splitlines()
        yield f"\n{' ' * node.col_offset}".join(lines)
