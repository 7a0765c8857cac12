"""A zeroer without a kernel of ours: ``index_fill_`` on a byte view of each segment.

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
    """Device memory at an address, in the form that torch takes without a copy."""

    def __init__(self, address: int, shape: tuple[int, int], stride: int) -> None:
        self.__cuda_array_interface__ = {
            "data": (address, False),
            "shape": shape,
            "strides": (stride, 1),
            "typestr": "|u1",
            "version": 3,
        }


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
        low = min(ids)
        height = max(ids) - low + 1
        chosen = torch.tensor(sorted(set(ids)), dtype=torch.int64, device=device) - low
        for base, stride, page in rows:
            _view(base + low * stride, height, page, stride, device).index_fill_(0, chosen, 0)

    return zero


def _view(address: int, height: int, page: int, stride: int, device: torch.device) -> torch.Tensor:
    """``height`` pages of bytes from ``address`` on, ``stride`` bytes apart."""
    if torch.device(device).type == "cuda":
        return torch.as_tensor(_Memory(address, (height, page), stride), device=device)
    span = (height - 1) * stride + page
    flat = torch.frombuffer((ctypes.c_char * span).from_address(address), dtype=torch.uint8)
    return flat.as_strided((height, page), (stride, 1))
