"""Checking block ids on the host: a wrong one would clear somebody else's memory."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

FEW = 64
"""In a list of so many ids Python finds smallest and largest before NumPy has begun."""


def checked_ids(ids: Sequence[int], blocks: int | None) -> np.ndarray:
    """The ids as int64 ``[n]``, in one pass over the list.

    Raises:
        ValueError: naming the first that is no integer; booleans are none.
        IndexError: naming the first that is negative or not below ``blocks``.
    """
    try:
        found = np.frombuffer(array("q", ids), np.int64)
    except (TypeError, OverflowError):
        raise _refused(ids, blocks) from None
    if not len(found):
        return found
    low, high = (min(ids), max(ids)) if len(found) <= FEW else (found.min(), found.max())
    if low < 0 or (blocks is not None and high >= blocks):
        raise _refused(ids, blocks)
    # The array took a boolean for 0 or 1, and few ids are that small.
    if low < 2 and any(isinstance(ids[place], bool) for place in np.flatnonzero(found < 2).tolist()):
        raise _refused(ids, blocks)
    return found


def _refused(ids: Sequence[int], blocks: int | None) -> Exception:
    """The error for the first id that is wrong."""
    rule = "0 or more, below 2^63" if blocks is None else f"0 to {blocks - 1}, as there are {blocks} blocks"
    for place, block in enumerate(ids):
        if isinstance(block, bool) or not hasattr(block, "__index__"):
            return ValueError(f"ids[{place}]={block!r}: must be an int, {rule}; nothing was cleared")
        if not 0 <= block < (2**63 if blocks is None else blocks):
            return IndexError(f"ids[{place}]={block!r}: must be {rule}; nothing was cleared")
    return ValueError(f"ids={type(ids).__name__}: must be a list of ints, {rule}")
