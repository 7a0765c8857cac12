"""What was seen of a call, for triage to judge."""

from __future__ import annotations

from dataclasses import dataclass, field

from fuzz.engines.launch_hook import Launch
from oracles import launches
from oracles.launches import Ruling
from oracles.variants import Change


@dataclass
class Observation:
    """All that was seen of one call, the constructor counted to the first, for triage to judge.

    Attributes:
        constructed: whether the zeroer was made.
        error: what the target raised, if anything.
        failure: what is wrong with the engine itself, if anything.
        launches: every Triton launch, in order.
        seconds: what they are predicted to take together.
        volume: bytes that were counted for it; a call clears each once, in however many launches.
        ids_changed: whether the call changed the list it was given.
        table_changed: whether a column of the table changed, on the host or on the device.
        recompiled: the argument for which the call launched what the warm-up did not, if one did.
        unproved: why the engine cannot hold the case, if it cannot.
    """

    constructed: bool = False
    error: BaseException | None = None
    failure: str = ""
    launches: list[Launch] = field(default_factory=list)
    seconds: float = 0.0
    volume: int = 0
    ids_changed: bool = False
    table_changed: bool = False
    recompiled: Change | None = None
    unproved: str = ""

    @property
    def clean(self) -> bool:
        """Whether nothing but the image can be wrong."""
        strange = self.failure or self.unproved or self.recompiled or self.ids_changed or self.table_changed
        return self.error is None and not strange

    def skipped(self, device_profile: str) -> Ruling | None:
        """The ruling of the first launch that a device silently does not run."""
        rulings = (launches.judge(launch.grid, launch.num_warps, device_profile) for launch in self.launches)
        return next((ruling for ruling in rulings if ruling.outcome == "skipped"), None)
