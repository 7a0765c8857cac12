"""Checking block ids on the host: a wrong one would clear somebody else's memory."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

LARGEST = 2**63
"""Ids are below this, also where nobody knows the number of blocks."""


def checked_ids(ids: Sequence[int], blocks: int | None) -> np.ndarray:
    """The ids as int64 ``[n]``, in one pass over the list.

    Raises:
        ValueError: naming the first that is no integer; booleans are none.
        IndexError: naming the first that is negative or not below ``blocks``.
    """
    try:
        unsigned = np.frombuffer(array("q", ids), np.uint64)
    except (TypeError, OverflowError):
        raise _refused(ids, blocks) from None
    if not len(unsigned):
        return unsigned.view(np.int64)
    # Seen without a sign a negative id is the largest of all, so that one look at the maximum is enough.
    if np.maximum.reduce(unsigned) >= (LARGEST if blocks is None else blocks):
        raise _refused(ids, blocks)
    # A boolean was taken for 0 or 1, and few ids are that small.
    if np.minimum.reduce(unsigned) < 2:
        places = np.flatnonzero(unsigned < 2).tolist()
        if any(isinstance(ids[place], bool) for place in places):
            raise _refused(ids, blocks)
    return unsigned.view(np.int64)


def _refused(ids: Sequence[int], blocks: int | None) -> Exception:
    """The error for the first id that is wrong."""
    rule = "0 or more" if blocks is None else f"0 to {blocks - 1}, as there are {blocks} blocks"
    for place, block in enumerate(ids):
        if isinstance(block, bool) or not hasattr(block, "__index__"):
            return ValueError(f"ids[{place}]={block!r}: must be an int, {rule}")
        if not 0 <= block < (LARGEST if blocks is None else blocks):
            return IndexError(f"ids[{place}]={block!r}: must be {rule}; nothing was cleared")
    return ValueError(f"ids={type(ids).__name__}: must be a list of ints, {rule}")
