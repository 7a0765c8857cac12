"""Compiling every variant that a zeroer's calls can need, without touching the cache.

A kernel that is driven by the scheduler is reached by no dummy run, so it would be compiled inside the
first real request, while other ranks wait for this one (vllm#43009, #45198). Which variants there are is
decided by the meta tuple, the alignment of its tensors included, and by the number of ids where a
generation specialises on it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch

from kvzero.generations import page_buckets, uniform_page

SPECIALISED = (uniform_page, page_buckets)
"""Generations whose kernel is specialised on the number of ids; the others do not pass it, or say
``do_not_specialize``."""

COUNTS = (1, 2, 16)
"""How many ids meet each class of an integer: 1, a multiple of 16, and neither."""

WORD = 8
"""Bytes of a table's element; the scratch memory is counted in it, too."""

ALIGNMENT = 16
"""Triton tells apart addresses that are multiples of this many bytes and others."""


def warm_up(
    generation: ModuleType, meta: Any, kernel: Any, upload: Callable[[list[int]], torch.Tensor], device: torch.device
) -> None:
    """Launch a generation's kernel once for each of its variants, on scratch memory.

    A launch runs one program, whatever the grid would be: the kernel is the same, and a table with more
    segments than a grid holds can be warmed up, too.

    Args:
        generation: the module whose ``launch`` the calls will use.
        meta: the meta tuple, or list of them, that the calls will use.
        kernel: the kernel that they will launch.
        upload: sends ids to the device, as for the calls.
        device: where the cache lies.
    """
    scratch = [on_scratch(bucket, device) for bucket in meta] if isinstance(meta, list) else on_scratch(meta, device)
    for count in COUNTS if generation in SPECIALISED else COUNTS[:1]:
        generation.launch(scratch, upload([0] * count), _OneProgram(kernel))


def on_scratch(meta: tuple[Any, ...], device: torch.device) -> tuple[Any, ...]:
    """A meta tuple with the same numbers, whose tensors describe one segment: a chunk of scratch memory.

    Each tensor has the type of the one that it stands for, one row of it, and is aligned as it is: a table of
    an odd number of segments has a column that is aligned to eight bytes alone. Table and scratch share one
    allocation, so that whoever knows a launch's arguments knows all that it touches.
    """
    tensors = [entry for entry in meta if isinstance(entry, torch.Tensor)]
    chunk = meta[-2]
    step = ALIGNMENT // WORD
    rows = [tensor.shape[1:].numel() for tensor in tensors]
    spans = [-(-(row + 1) // step) * step for row in rows]
    most = sum(spans) + step
    # Each word is the chunk's width in elements, as a table's stride and page; only one is an address.
    words = torch.full((most + -(-chunk // 2),), chunk, dtype=torch.int64, device=device)
    place = -words.data_ptr() % ALIGNMENT // WORD
    words[place + tensors[0].data_ptr() % ALIGNMENT // WORD] = words.data_ptr() + most * WORD  # they stand first
    made = []
    for tensor, row, span in zip(tensors, rows, spans, strict=True):
        start = place + tensor.data_ptr() % ALIGNMENT // WORD
        column = words[start : start + row].view(1, *tensor.shape[1:])
        made.append(column if tensor.dtype == torch.int64 else column.view(tensor.dtype))
        place += span
    columns = iter(made)
    return tuple(next(columns) if isinstance(entry, torch.Tensor) else entry for entry in meta)


class _OneProgram:
    """A kernel that runs one program of each grid that it is launched with."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel

    def __getitem__(self, grid: tuple[int, ...]) -> Callable[..., Any]:
        launch: Callable[..., Any] = self._kernel[(1,) * len(grid)]
        return launch
