"""A target under test, and which cases it declines.

A target is a function ``zeroer(table, device) -> zero(ids)``; one that says ``takes = "layout"`` gets a
``kvzero.specs.CacheLayout`` instead of a table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fuzz.case import Case
from kvzero.segments import Limits

Takes = Literal["table", "layout"]
"""What a target is made of."""


SAYS = ("virtual", "capturable", "newer_form")
"""What a target may say of itself, by attributes that are true."""


@dataclass(frozen=True)
class Target:
    """A zeroer under test: its locator, the function that makes it, what it declines.

    ``virtual`` tells that it reaches the cache through Triton alone, and so may be given addresses
    without memory; ``newer_form`` that it takes only layouts whose blocks are the first dimension of
    every cache; ``capturable`` that its calls may be captured into CUDA graphs. ``content`` is the hash of
    what it is made of; ``files`` are its own file and those beside it, of a built-in target the file of its kernel.
    """

    name: str
    make: Callable[[Any, Any], Callable[[list[Any]], None]]
    limits: Limits
    virtual: bool = False
    capturable: bool = False
    newer_form: bool = False
    takes: Takes = "table"
    content: str = ""
    files: tuple[Path, ...] = ()


def beyond(limits: Limits, case: Case) -> str | None:
    """Which limit of a target a contract case exceeds, in words; None if it takes the case."""
    segments = case.segments
    if not case.keeps(limits.unit):
        return f"sizes are no multiples of unit={limits.unit}"
    if limits.segments is not None and sum(s.times for s in segments) > limits.segments:
        return f"more than segments={limits.segments}"
    if limits.ids is not None and any(len(call.ids) > limits.ids for call in case.calls):
        return f"more than ids={limits.ids} in a call"
    if limits.page is not None and any(s.page > limits.page for s in segments):
        return f"a page wider than page={limits.page}"
    if limits.uniform and len({(s.page, s.stride) for s in segments}) > 1:
        return "segments differ, uniform=True"
    return None
