"""Whether the first cases of the enumeration pass: every case up to a bound, neighbours far apart."""

from __future__ import annotations

import dataclasses

from fuzz.gate.checks.drawn_cases import Share, drawn
from fuzz.gate.ground import Ground
from fuzz.gate.results import Check
from fuzz.profiles import exhaustive

SHARE = Share(0.4, 0.4)
"""The search must come to its end as well."""


class Enumeration:
    """Runs a fixed number of cases of profile exhaustive, and says of how many."""

    name = "exhaustive"

    def __call__(self, ground: Ground) -> Check:
        """Run them; a layout has no such profile."""
        if ground.takes != "table":
            return Check(self.name, "left out", f"the target takes a {ground.takes}; the profile has tables")
        whole = exhaustive.size(ground.unit)
        cases = min(whole, ground.sizes.exhaustive)
        check = drawn(ground, self.name, ("exhaustive",), 0, cases, SHARE)
        return dataclasses.replace(check, words=f"{check.words}; the whole profile has {whole}")
