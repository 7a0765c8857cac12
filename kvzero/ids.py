"""Checking block ids on the host: a wrong one would clear somebody else's memory."""

from __future__ import annotations

import operator
import struct
from collections.abc import Sequence

import numpy as np


def packed(ids: Sequence[int]) -> np.ndarray:
    """The ids as int64 ``[n]``, in the least time that there is for a list: a third of ``array``'s or NumPy's.

    Raises:
        TypeError: if one is no integer, or does not fit; a boolean is taken for 0 or 1.
    """
    found = np.empty(len(ids), np.int64)
    try:
        struct.pack_into(f"{len(ids)}q", found.data, 0, *ids)
    except (struct.error, OverflowError) as error:
        raise TypeError(str(error)) from None
    return found


def checked_ids(ids: Sequence[int], blocks: int | None) -> np.ndarray:
    """The ids as int64 ``[n]``.

    Raises:
        ValueError: naming the first that is no integer; booleans are none.
        IndexError: naming the first that is negative or not below ``blocks``.
    """
    try:
        found = packed(ids)
    except TypeError:
        raise _refused(ids, blocks) from None
    if not len(found):
        return found
    # A place takes NumPy a fraction of the time that it needs for the number there.
    low, high = ids[int(found.argmin())], ids[int(found.argmax())]
    if low < 0 or (blocks is not None and high >= blocks) or (low < 2 and _booleans(ids, found)):
        raise _refused(ids, blocks)
    return found


def _booleans(ids: Sequence[int], found: np.ndarray) -> bool:
    """Whether there are any; each was taken for a 0 or a 1, and mostly few ids are that small."""
    return bool in map(type, map(ids.__getitem__, (found < 2).nonzero()[0].tolist()))


def _refused(ids: Sequence[int], blocks: int | None) -> Exception:
    """The error for the first id that is wrong."""
    rule = "0 or more, below 2^63" if blocks is None else f"0 to {blocks - 1}, as there are {blocks} blocks"
    for place, block in enumerate(ids):
        if isinstance(block, bool) or not _is_integer(block):
            return ValueError(f"ids[{place}]={block!r}: must be an int, {rule}; nothing was cleared")
        if not 0 <= block < (2**63 if blocks is None else blocks):
            return IndexError(f"ids[{place}]={block!r}: must be {rule}; nothing was cleared")
    return ValueError(f"ids={type(ids).__name__}: must be a list of ints, {rule}")


def _is_integer(block: object) -> bool:
    """Whether Python takes it for one; a tensor of floats has ``__index__`` and refuses."""
    try:
        operator.index(block)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True
