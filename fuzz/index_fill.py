"""A zeroer without a kernel of ours: ``index_fill_`` on a byte view of each segment's pages.

Slow, granular to the byte, and right for every contract case: the target that must never be found
guilty.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import torch

from kvzero.segments import Limits, SegmentTable

LIMITS = Limits(unit=1)


class _Memory:
    """Device memory at an address, in the form that torch takes without a copy.

    Each look at one costs some 300 bytes that torch (2.11) never gives back: one a call, not one a segment.
    """

    def __init__(self, address: int, size: int) -> None:
        self.__cuda_array_interface__ = {"data": (address, False), "shape": (size,), "typestr": "|u1", "version": 3}


def zeroer(table: SegmentTable, device: torch.device) -> Callable[[list[int]], None]:
    """A function that clears blocks of ``table`` with torch alone.

    It checks its ids, as a careful caller would.
    """
    rows = list(dict.fromkeys(zip(table.base.tolist(), table.stride.tolist(), table.page.tolist(), strict=True)))

    def zero(ids: list[int]) -> None:
        if not ids:
            return
        for block in ids:
            if type(block) is not int or not 0 <= block < (table.blocks or 2**63):
                raise ValueError(f"id={block!r}: must be an int from 0 to {table.blocks}")
        low, high = min(ids), max(ids)
        first = min(base + low * stride for base, stride, _ in rows)
        last = max(base + high * stride + page for base, stride, page in rows)
        memory = _bytes(first, last - first, device)
        chosen = torch.tensor(sorted(set(ids)), dtype=torch.int64, device=device) - low
        for base, stride, page in rows:
            pages = memory.as_strided((high - low + 1, page), (stride, 1), base + low * stride - first)
            pages.index_fill_(0, chosen, 0)

    return zero


def _bytes(address: int, size: int, device: torch.device) -> torch.Tensor:
    """Memory that is there already, uint8 ``[size]``."""
    if torch.device(device).type == "cuda":
        return torch.as_tensor(_Memory(address, size), device=device)
    return torch.frombuffer((ctypes.c_char * size).from_address(address), dtype=torch.uint8)
