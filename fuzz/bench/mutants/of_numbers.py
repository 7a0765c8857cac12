"""Operators on numbers: widths, roundings, constants, the value stored, the address."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard


def int32_for_int64(node: ast.AST) -> Iterator[str]:
    """A width of 32 bits where there were 64; and one that is lost, so that the operand's own stays."""
    if isinstance(node, ast.Attribute) and node.attr == "int64":
        yield f"{ast.unparse(node.value)}.int32"
    if _is_call(node, "tl.load") and "strides_ptr" in ast.unparse(node):
        yield f"{ast.unparse(node)}.to(tl.int32)"


def floor_for_ceil(node: ast.AST) -> Iterator[str]:
    """A quotient rounded the other way; a power of two rounded down.

    Up it is rounded only where a program's number or a page's chunks are counted: other quotients are of sizes, which
    leave no rest in a legal case.
    """
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = node.operand
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.FloorDiv) and isinstance(inner.left, ast.UnaryOp):
            yield f"({ast.unparse(inner.left.operand)} // ({ast.unparse(inner.right)}))"
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv) and not isinstance(node.left, ast.UnaryOp):
        left, right = ast.unparse(node.left), ast.unparse(node.right)
        if "pid" not in left and right != "BLOCK_SIZE":
            return
        yield f"(({left} + ({right}) - 1) // ({right}))"
    elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("bit_length"):
        yield f"({ast.unparse(node)} - 1)"


def id_truncated(node: ast.AST) -> Iterator[str]:
    """An id that keeps its low bits only."""
    if _is_call(node, "tl.load") and "ids_ptr" in ast.unparse(node):
        for kind in ("int8", "uint8", "int16", "int32"):
            yield f"{ast.unparse(node)}.to(tl.{kind})"
        yield f"({ast.unparse(node)} & 7)"
        yield f"({ast.unparse(node)} & -2)"


def constant_off(node: ast.AST) -> Iterator[str]:
    """A constant one more, and one less."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield str(node.value + 1)
        yield f"({node.value - 1})"


def store_value(node: ast.AST) -> Iterator[str]:
    """Something else than zero: in one byte, in all, in the first lane alone, as a NaN."""
    if _is_call(node, "tl.zeros"):
        shape, kind = ast.unparse(node.args[0]), ast.unparse(node.args[1])
        for value in (1, -1, 1 << 24, 0x7FC00000) if kind == "tl.int32" else (1, -1):
            yield f"tl.full({shape}, {value}, {kind})"
        yield f"tl.where(tl.arange(0, {shape[1:-1]}) == 0, 1, 0)"


def address_off(node: ast.AST) -> Iterator[str]:
    """An address one element further, or before; a byte further."""
    if _is_call(node, "tl.load") and "addrs_ptr" in ast.unparse(node):
        for far in (1, 4, -4):
            yield f"({ast.unparse(node)} + {far})" if far > 0 else f"({ast.unparse(node)} - {-far})"
    if _is_call(node, "tl.arange"):
        yield f"({ast.unparse(node)} + 1)"
        yield f"({ast.unparse(node)} - 1)"
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("data_ptr"):
        yield f"({ast.unparse(node)} + 4)"


def _is_call(node: ast.AST, name: str) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == name
