"""Whether a search finds anything: drawn from what target and base are made of, or from a fresh seed."""

from __future__ import annotations

import dataclasses

from fuzz.gate.checks.drawn_cases import Share, drawn
from fuzz.gate.ground import Ground
from fuzz.gate.results import Check, Decided
from fuzz.profiles import fitting

SHARE = Share(0.7, 0.9)
"""A right target's cases are all that a short gate has time for."""


class SeededSearch:
    """Searches with the gate's own seed: the same tree draws the same cases."""

    name = "search"

    def __call__(self, ground: Ground) -> Check:
        """Run a fixed number of cases."""
        return drawn(ground, self.name, _profiles(ground), ground.seed, ground.sizes.search, SHARE)


class OverlappingCalls:
    """Searches calls in flight together, which takes a GPU."""

    name = "order"

    def __call__(self, ground: Ground) -> Check:
        """Run a fixed number of cases; without a GPU there is nothing to run them on."""
        if ground.takes != "table" or not ground.sizes.order:
            return Check(self.name, "left out", "calls in flight together take a GPU, and a target that takes a table")
        return drawn(ground, self.name, ("order",), ground.seed, ground.sizes.order, SHARE)


class FreshSearch:
    """Searches with a seed that somebody asked for; it reports, and never blocks.

    Args:
        seed: decides the cases.
    """

    def __init__(self, seed: int) -> None:
        self.name = f"seed {seed}"
        self._seed = seed

    def __call__(self, ground: Ground) -> Check:
        """Run as many cases as the search has."""
        before = set(ground.new)
        check = drawn(ground, self.name, _profiles(ground), self._seed, ground.sizes.search, SHARE, _informing)
        ground.new.clear()
        ground.new.update(before)
        return dataclasses.replace(check, state="information")


def _profiles(ground: Ground) -> tuple[str, ...]:
    usual = fitting((), ground.opened.takes)
    return (*usual, "hostile") if ground.request.strict and ground.takes == "table" else usual


def _informing(one: Decided) -> Decided:
    if one.standing not in ("new", "undecided"):
        return one
    return dataclasses.replace(one, standing="information", reason=f"of a fresh seed, which never blocks; {one.reason}")
