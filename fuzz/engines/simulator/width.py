"""How much is written out at once: the one rule that keeps memory bounded."""

from __future__ import annotations

from fuzz.engines.simulator.faults import TooWide

MOST_ELEMENTS = 2**22
"""Elements of a tensor, over all programs at once, that are written out: 32 MB of 64-bit numbers, of which
a long chain of operations holds some dozens."""


def refuse_wide(programs: int, lanes: int) -> None:
    """Refuse to write out a tensor of that many lanes for that many programs.

    Raises:
        TooWide: if fewer programs at a time would take less memory.
    """
    if programs > 1 and programs * lanes > MOST_ELEMENTS:
        raise TooWide
