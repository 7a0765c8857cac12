"""Targets that fail at one edge, order or placement alone: what profile exhaustive is there to show."""

from __future__ import annotations

import numpy as np

from kvzero import Limits, SegmentTable
from kvzero.zeroer import KVBlockZeroer


def _of(table, device, **columns):
    other = {name: columns.get(name, getattr(table, name)) for name in ("base", "stride", "page")}
    return KVBlockZeroer.of(SegmentTable(**other, blocks=table.blocks), device).zero_block_ids


def last_of_three(table, device):
    """Leaves the third id of three: stale:whole page."""
    right = _of(table, device)
    return lambda ids: right(ids[:2])


def narrow_first(table, device):
    """Of segments on one base the first one's page is cleared for all: stale:tail where it is the narrower."""
    bases = table.base.tolist()
    return _of(table, device, page=np.array([table.page[bases.index(base)] for base in bases]))


def tail_of_a_word(table, device):
    """Leaves the last 4 bytes of a page of 4 bytes more than a multiple of 16: stale:tail."""
    return _of(table, device, page=np.where((table.page % 16 == 4) & (table.page > 4), table.page - 4, table.page))


def one_chunk(table, device):
    """Leaves what lies past the first 4,096 bytes of a page: stale:tail."""
    return _of(table, device, page=np.minimum(table.page, 4096))


def one_id(table, device):
    """Right, and takes one id and sizes of 64 bytes: most cases of the profile are declined, and soon done."""
    return _of(table, device)


one_id.limits = Limits(unit=64, ids=1)
