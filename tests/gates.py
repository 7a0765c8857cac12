"""What tests of a gate share: fake workers, the ground that checks stand on, and cases of one page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fuzz import messages
from fuzz.build import numbered
from fuzz.case import Call, Case, Segment
from fuzz.corpus import Entry
from fuzz.errors import UsageError, WorkerError
from fuzz.gate.base import Base
from fuzz.gate.ceiling import Ceiling
from fuzz.gate.events import Event
from fuzz.gate.ground import Ground, Stretch
from fuzz.gate.request import Request, Sizes
from fuzz.gate.results import GateReport
from fuzz.gate.running import checked
from fuzz.ids import Ids
from fuzz.profiles.parts import guarded
from fuzz.verdict import Verdict
from kvzero.segments import Limits

PASSED = Verdict("passed")
TAIL = Verdict("finding", "stale", "tail")
GUARD = Verdict("finding", "clobbered", "guard", text="\x00 <b> | 4 bytes")
LAUNCH = Verdict("finding", "rejected", "launch-y")
TAKEN = Verdict("finding", "accepted", "negative-id")


Shows = Callable[[Case], Verdict]


class FakeWorker:
    """A target's workers, or a base's: verdicts are those of a function, and ``most`` cases of a stretch are run."""

    def __init__(
        self,
        name: str,
        shows: Shows,
        limits: Limits | None = None,
        most: int = 10**9,
        *,
        says: tuple[str, ...] = (),
        warmup: bool = False,
    ) -> None:
        self.shows = shows
        self.most = most
        self.ran = 0
        self.warmup = warmup
        limits = limits or Limits()
        self.opened = messages.Opened(
            "simulator", "CPU", "h200", {name: limits.unit}, {name: "table"}, 0, {name: limits}, {name: f"of {name}"},
            says={name: says},
        )  # fmt: skip

    def open(self) -> messages.Opened:
        return self.opened

    def attempt(self, case: Case, target: str, *, rehearse: bool = False) -> Verdict:
        self.ran += 1
        return self.shows(case)

    def rehearsed(self, case: Case, target: str) -> messages.Tried:
        verdict = self.shows(case)
        made = verdict.outcome != "declined"
        return messages.Tried(verdict, (), self.warmup if made else None)

    def tried(self, case: Case, target: str, *, rehearse: bool = False) -> messages.Tried:
        return self.rehearsed(case, target)

    def renew(self) -> None:
        pass

    def batch(self, request: messages.Batch, on_found: Callable[[messages.Found], None]) -> messages.BatchDone:
        done = self.stretch(request, lambda: 0.0, on_found)
        return messages.BatchDone(request.stop, done.counts)

    def stretch(
        self, request: messages.Batch, until: Callable[[], float], on_found: Callable[[messages.Found], None]
    ) -> Stretch:
        counts: dict[str, int] = {}
        for index in range(request.first, min(request.stop, self.most)):
            case, profile = numbered(request.seed, index, request.profiles, request.unit)
            verdict = self.shows(case)
            counts[verdict.outcome] = counts.get(verdict.outcome, 0) + 1
            if verdict.outcome == "finding":
                on_found(messages.Found(index, "new", profile, case, verdict))
        return Stretch(sum(counts.values()), counts)


class Broken(FakeWorker):
    """A base that cannot be loaded."""

    def open(self) -> messages.Opened:
        raise UsageError("target='old': importing old.py raised ZeroDivisionError")


def one_page(page: int) -> Case:
    """A segment of one block, cleared by one call."""
    segment = Segment(0, 1, page, page)
    call = Call("zero", Ids.of([0]))
    return guarded(Case(schema=1, domain="contract", guard=0, segments=(segment,), calls=(call,)))


def grounded(
    tmp_path: Path,
    target: Shows,
    base: Shows | FakeWorker | None = None,
    *,
    strict: bool = False,
    limits: Limits | None = None,
    most: int = 10**9,
    seconds: float = 60.0,
    files: tuple[Case, ...] = (),
) -> tuple[Ground, list[Event]]:
    """What checks stand on, and the list that their events go to: a target ``new``, and a base ``old`` if there is one.

    Args:
        tmp_path: corpus, and where finds go.
        target: what the target shows.
        base: what the base shows, or its worker; None: no base.
        strict: whether hostile input that is taken blocks.
        limits: of the target.
        most: cases of a stretch that are run at the most.
        seconds: for all of it.
        files: the corpus.
    """
    events: list[Event] = []
    request = Request("new", "old", tmp_path, tmp_path, strict=strict)
    hands = FakeWorker("new", target, limits, most)
    worker = base if isinstance(base, FakeWorker) or base is None else FakeWorker("old", base)
    control = Ceiling(seconds)
    entries = tuple(Entry(tmp_path / f"{number}.json", "history", case) for number, case in enumerate(files))
    held = Base("old", worker, lambda: control.left)
    ground = Ground(request, hands.opened, hands, held, control, events.append, 5, Sizes(50, 60), entries)
    return ground, events


def reported(ground: Ground, *checks: object) -> GateReport:
    """Of a gate of these checks."""
    return checked(ground, checks, {"new": "a", "old": "b"})


def wide(verdict: Verdict, page: int = 64) -> Shows:
    """A fault that cases show which have so wide a page."""
    return lambda case: verdict if any(s.page >= page for s in case.segments) else PASSED


def dying_after(ground: Ground, runs: int) -> None:
    """The target's workers run so many cases one by one, and then keep dying."""
    attempt, left = ground.hands.attempt, iter(range(runs))

    def dying(case: Case, target: str, *, rehearse: bool = False) -> Verdict:
        if next(left, None) is None:
            raise WorkerError("workers keep dying")
        return attempt(case, target, rehearse=rehearse)

    ground.hands.attempt = dying
