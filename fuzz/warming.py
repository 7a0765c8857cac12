"""A target's own warm-up, and what is compiled after it.

Triton keeps compiled kernels for a whole process. Whether a request compiles one therefore says nothing of
the zeroer that serves it, but of all that ran before; so what is new is measured against the variants that
this zeroer's constructor and warm-up launched or asked for, be they compiled at that moment or long before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MethodType
from typing import Any

from fuzz.engines.argument_classes import variant
from fuzz.engines.launch_hook import Compiled
from oracles import variants
from oracles.variants import Change, Variant

BLOCKS_UNKNOWN = 1
"""What a warm-up is told where the table does not tell its number of blocks."""

WARMING = 2.0
"""Predicted seconds of a warm-up: dozens of variants, if a kernel has one for each size of page."""


def warmup_of(zero: Callable[..., Any]) -> Callable[[int], object] | None:
    """The warm-up that comes with a zeroer: its attribute ``warmup``, or that of the object it is a method of."""
    own = getattr(zero, "warmup", None)
    if own is None and isinstance(zero, MethodType):
        own = getattr(zero.__self__, "warmup", None)
    return own


class Made:
    """Notes the zeroers that are made.

    Attributes:
        warmup: whether the last of them has a warm-up; None if none was made since it was last cleared.
    """

    def __init__(self) -> None:
        self.warmup: bool | None = None

    def note(self, zero: Callable[..., Any]) -> None:
        """Look at a zeroer, whether it will be warmed up or not."""
        self.warmup = warmup_of(zero) is not None

    def clear(self) -> None:
        """Begin another case."""
        self.warmup = None


MADE = Made()
"""What the targets of this process made since it was last cleared."""


class Warm:
    """The variants that a zeroer has before its first call; each is kept once, in order.

    Args:
        compiled: what its constructor and its warm-up launched or asked for.
    """

    def __init__(self, compiled: Iterable[Compiled]) -> None:
        self._variants: dict[str, Variant] = {}
        for one in compiled:
            self._variants.setdefault(one.key, variant(one))

    def added(self, compiled: Iterable[Compiled]) -> Change | None:
        """The first variant that a call launched and the warm-up did not, by the argument that called for it."""
        new = [variant(one) for one in compiled if one.key not in self._variants]
        return variants.added(self._variants.values(), new) if new else None
