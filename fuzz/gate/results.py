"""What checks find out, and the verdict that follows from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from fuzz.case import Case
from fuzz.verdict import Bucket, Verdict

State = Literal["passed", "failed", "cut short", "nothing proved", "trouble", "information", "left out"]
"""How a check ended; only ``passed``, ``information`` and ``left out`` let a gate say yes."""

Standing = Literal["new", "undecided", "waived", "accepted", "old", "information"]
"""What a find means to a gate, the worst first; ``new`` blocks, and with one undecided a gate cannot say."""

STANDINGS: tuple[Standing, ...] = get_args(Standing)

SANITIZE = "sanitize"
"""Name of the check whose finds show only below compute-sanitizer."""

BLOCKING: tuple[State, ...] = ("cut short", "nothing proved", "trouble")
"""States after which a gate without new finds cannot say."""


@dataclass(frozen=True)
class Finding:
    """A bucket that a check met: its simplest case, how many fell into it, how that was drawn."""

    bucket: Bucket
    case: Case
    verdict: Verdict
    profile: str
    count: int
    path: Path | None = None
    """The corpus file that the case is; None if it was drawn."""


@dataclass(frozen=True)
class Decided:
    """A finding, and what it means to the gate.

    Attributes:
        finding: its smallest case by now.
        check: the check that met it.
        standing: what it means.
        reason: why, in words.
        replays: how many of how many replays showed it.
        late: whether time ended its shrinking, so that another machine may meet more or reach another case.
        trouble: what of ours kept it from being shrunk, replayed and held against the base, in words.
    """

    finding: Finding
    check: str
    standing: Standing
    reason: str
    replays: tuple[int, int] | None = None
    late: bool = False
    trouble: str = ""


@dataclass(frozen=True)
class Check:
    """A check that ended.

    Attributes:
        name: which one.
        state: how.
        words: its evidence in a sentence.
        seconds: how long it took.
        done: cases that were run, of ``of``.
        counts: their outcomes.
        decided: what was found, decided.
    """

    name: str
    state: State
    words: str
    seconds: float = 0.0
    done: int = 0
    of: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    decided: tuple[Decided, ...] = ()


@dataclass
class Find:
    """A bucket over all checks: where it was met, and the worst that it means.

    ``shown`` is the worst finding of it, the first among equals.
    """

    shown: Decided
    checks: dict[str, int]


@dataclass
class GateReport:
    """A gate in numbers.

    Attributes:
        target: locator.
        base: locator, or None.
        mode: of the gate.
        seed: of its search.
        engine: what ran it.
        device: its device in words.
        device_profile: whose launch limits held.
        contents: the hash of target and base.
        checks: those that ended, in order.
        base_trouble: why there is no base to compare with, if there is none.
        trouble: what ended the gate before its time, if anything did.
        unproved: what a yes would leave unproved, in sentences.
        files: those that the target stands in, its own first.
        seconds: how long it took.
    """

    target: str
    base: str | None
    mode: str
    seed: int
    engine: str
    device: str
    device_profile: str
    contents: dict[str, str]
    checks: list[Check] = field(default_factory=list)
    base_trouble: str | None = None
    trouble: str | None = None
    unproved: list[str] = field(default_factory=list)
    files: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def finds(self) -> list[Find]:
        """Every bucket once, by standing and name."""
        found: dict[Bucket, Find] = {}
        for check in self.checks:
            for one in check.decided:
                find = found.setdefault(one.finding.bucket, Find(one, {}))
                find.checks[check.name] = find.checks.get(check.name, 0) + one.finding.count
                if STANDINGS.index(one.standing) < STANDINGS.index(find.shown.standing):
                    find.shown = one
        return sorted(found.values(), key=lambda f: (STANDINGS.index(f.shown.standing), f.shown.finding.bucket))

    @property
    def new(self) -> int:
        """Buckets that block."""
        return sum(find.shown.standing == "new" for find in self.finds)

    @property
    def refused(self) -> list[Check]:
        """Failed checks that no find explains."""
        return [check for check in self.checks if check.state == "failed" and not check.decided]

    @property
    def doubts(self) -> list[str]:
        """Why a gate without new finds cannot say."""
        doubts = [f"{check.name}: {check.words}" for check in self.checks if check.state in BLOCKING]
        return doubts + ([self.trouble] if self.trouble else [])

    @property
    def verdict(self) -> Literal["yes", "no", "cannot say"]:
        """The verdict; a gate that no check ended in cannot say."""
        if self.new or self.refused:
            return "no"
        passed = any(check.state == "passed" and check.done for check in self.checks)
        return "cannot say" if self.doubts or not passed else "yes"

    @property
    def line(self) -> str:
        """The verdict in a line."""
        if self.verdict == "no":
            refusals = [check.words for check in self.refused]
            return "gate: no, " + "; ".join(([f"{self.new} new"] if self.new else []) + refusals)
        if self.verdict == "cannot say":
            return f"gate: cannot say, {'; '.join(self.doubts) or 'nothing was run'}"
        return "gate: yes"

    @property
    def exit_code(self) -> int:
        """0 yes, 1 no, 3 cannot say."""
        return {"yes": 0, "no": 1, "cannot say": 3}[self.verdict]
