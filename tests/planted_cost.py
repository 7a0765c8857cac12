"""Right kernels that cost a known share more than ``chunk_list``: the trial of a gate with a limit on cost.

They clear some pages twice, at the end of the call, when the first ones have left the cache: so the bytes written,
and with them the time of a kernel that memory bounds, grow by that share. What is no whole id is carried over to
the next call, so calls of a single id are dearer now and then.
"""

from __future__ import annotations

from collections.abc import Callable

from kvzero.zeroer import KVBlockZeroer


def _dearer(share: float) -> Callable:
    def zeroer(table, device):
        right = KVBlockZeroer.of(table, device, kernel="chunk_list").zero_block_ids
        owed = 0.0

        def zero(ids):
            nonlocal owed
            owed += share * len(ids)
            again = int(owed)
            owed -= again
            right(ids + ids[:again])

        zero.warmup = right.__self__.warmup
        return zero

    zeroer.virtual = True
    return zeroer


five_per_cent = _dearer(0.05)
one_per_cent = _dearer(0.01)
nothing = _dearer(0.0)
