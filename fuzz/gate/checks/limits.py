"""Whether the target takes all that its base takes: a kernel must not pass by declining."""

from __future__ import annotations

from fuzz.gate.ground import Ground
from fuzz.gate.results import Check
from kvzero.segments import Limits


class LimitsCheck:
    """Refuses limits narrower than the base's."""

    name = "limits"

    def __call__(self, ground: Ground) -> Check:
        """Compare them field by field."""
        opened = ground.base.opened
        if isinstance(opened, str):
            return Check(self.name, "left out", opened.partition(":")[0])
        (base,) = opened.limits.values()
        found = narrower(ground.opened.limits[ground.target], base)
        if found:
            return Check(self.name, "failed", f"limits are narrower than the base's: {', '.join(found)}")
        return Check(self.name, "passed", "as wide as the base's")


def narrower(new: Limits, base: Limits) -> list[str]:
    """Which limits let less through than the base's, in words."""
    found = []
    if new.unit > base.unit:
        found.append(f"unit={new.unit}, the base's is {base.unit}")
    for name in ("segments", "ids", "page"):
        ours, theirs = getattr(new, name), getattr(base, name)
        if ours is not None and (theirs is None or ours < theirs):
            found.append(f"{name}={ours}, the base's is {theirs}")
    if new.uniform and not base.uniform:
        found.append("uniform=True, the base's is False")
    return found
