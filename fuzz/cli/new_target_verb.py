"""``kvzero new-target``: a target to begin with."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from fuzz.errors import UsageError

TEMPLATE = '''\
"""A target of kvzero. Try it with: kvzero fuzz --target {name}.py:zeroer"""
import torch
import triton
import triton.language as tl
from kvzero import Limits

@triton.jit
def clear(base, stride, page, ids, CHUNK: tl.constexpr):  # a program for each id, segment and chunk of a page
    segment, columns = tl.program_id(1), tl.program_id(2).to(tl.int64) * CHUNK + tl.arange(0, CHUNK)
    block = tl.load(base + segment).to(tl.pointer_type(tl.uint8)) + tl.load(ids + tl.program_id(0)) * tl.load(stride + segment)
    tl.store(block + columns, tl.zeros([CHUNK], tl.uint8), mask=columns < tl.load(page + segment))  # padding must stay

def zeroer(table, device):  # called once a cache: columns are base addresses, strides and pages in bytes
    columns, chunks = table.on(device), triton.cdiv(int(table.page.max()), 1024)
    def zero(ids):  # called with each list of blocks to clear
        if ids:
            clear[(len(ids), len(table), chunks)](*columns, torch.tensor(ids, device=device), CHUNK=1024)
    return zero

zeroer.limits = Limits(unit=1, segments=1024, ids=1024, page=2**20)  # more are too many programs, and declined
'''  # noqa: E501 - the line is the file's, not ours
"""A kernel as short as one can be that keeps the contract on every case that it does not decline."""


def new_target(name: Annotated[str, typer.Argument(help="Name of the file to write, without .py.")]) -> None:
    """Write a short commented target file that runs as written.

    Example: kvzero new-target my_kernel
    """
    stem = name.removesuffix(".py")
    path = Path(f"{stem}.py")
    if not path.stem.isidentifier():
        raise UsageError(f"name={name!r}: must be a Python name, for it names a file to import; try my_kernel")
    try:
        with path.open("x") as file:
            file.write(TEMPLATE.format(name=stem))
    except FileExistsError:
        raise UsageError(f"name={name!r}: {path} is there already; choose another name") from None
    except OSError as error:
        raise UsageError(f"name={name!r}: {path}: {error.strerror}") from None
    sys.stderr.write(f"wrote {path}; try it with: kvzero fuzz --target {path}:zeroer\n")
