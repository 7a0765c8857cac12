"""Targets that fail at one edge or length alone, and one that declines most: for profile exhaustive."""

from __future__ import annotations

import numpy as np

from kvzero import Limits, SegmentTable
from kvzero.zeroer import KVBlockZeroer


def _of(table, device, **columns):
    other = {name: columns.get(name, getattr(table, name)) for name in ("base", "stride", "page")}
    return KVBlockZeroer.of(SegmentTable(**other, blocks=table.blocks), device, kernel="masked_grid").zero_block_ids


def last_of_three(table, device):
    """Leaves the third id of three: stale:whole page."""
    right = _of(table, device)
    return lambda ids: right(ids[:2])


def one_chunk(table, device):
    """Leaves what lies past the first 4,096 bytes of a page: stale:tail."""
    return _of(table, device, page=np.minimum(table.page, 4096))


def one_id(table, device):
    """Right, and takes one id and sizes of 64 bytes: most cases of the profile are declined, and soon done."""
    return _of(table, device)


one_id.limits = Limits(unit=64, ids=1)
