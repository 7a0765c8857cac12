"""Targets of torch alone with a fault each that one look at the end of all calls would miss, and right ones."""

from __future__ import annotations

from fuzz.index_fill import zeroer


class _Warm:
    """Right; ``warmup`` is told to the outside and clears the first block of the cache."""

    def __init__(self, table, device):
        self.right = zeroer(table, device)
        self.warmed = None

    def zero(self, ids):
        self.right(ids)

    def warmup(self, blocks):
        self.warmed = blocks
        self.right([0])


def right(table, device):
    """Passes."""
    return zeroer(table, device)


def reclears(table, device):
    """Clears the blocks of all earlier calls again: clobbered:other block."""
    clear, seen = zeroer(table, device), []

    def zero(ids):
        seen.extend(ids)
        clear(seen)

    return zero


def once(table, device):
    """Clears a block the first time only: stale:whole page."""
    clear, seen = zeroer(table, device), set()

    def zero(ids):
        clear([one for one in ids if one not in seen])
        seen.update(ids)

    return zero


def sorts(table, device):
    """Right, but sorts the caller's list: clobbered:ids."""
    clear = zeroer(table, device)

    def zero(ids):
        ids.sort()
        clear(ids)

    return zero


def widens(table, device):
    """Right, but adds 4 to a stride of its caller's table: clobbered:table."""
    clear = zeroer(table, device)

    def zero(ids):
        clear(ids)
        table.stride[0] += 4

    return zero


def overwrites_upload(table, device):
    """Right, but writes into the table that it sent to the device: clobbered:table."""
    clear, columns = zeroer(table, device), table.on(device)

    def zero(ids):
        clear(ids)
        columns.stride.add_(4)

    return zero


def warm(table, device):
    """Right, and so is its warm-up."""
    return _Warm(table, device).zero


def lazy_once_warm(table, device):
    """Clears nothing once its warm-up was called: skipped:none."""
    made = _Warm(table, device)

    def zero(ids):
        if made.warmed is None:
            made.right(ids)

    zero.warmup = made.warmup
    return zero


def needs_blocks(table, device):
    """Its warm-up raises for more blocks than one: rejected:constructor."""
    made = _Warm(table, device)

    def warmup(blocks):
        if blocks > 1:
            raise RuntimeError(f"{blocks} are too many")

    made.warmup = warmup
    return made.zero


def too_late(table, device):
    """Refuses hostile ids after it has cleared the others: clobbered:other block."""
    clear = zeroer(table, device)

    def zero(ids):
        clear([one for one in ids if 0 <= one < 2])
        clear(ids)

    return zero


def takes_all(table, device):
    """Clears what it can of hostile ids and says nothing: accepted:negative-id."""
    clear = zeroer(table, device)

    def zero(ids):
        clear([one for one in ids if 0 <= one < 2])

    return zero


def refuses_all(table, device):
    """Refuses legal calls as well: rejected:other-ValueError."""

    def zero(ids):
        raise ValueError(f"{ids} are not wanted")

    return zero
