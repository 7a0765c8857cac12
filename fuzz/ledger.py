"""What all lanes share: schedule, report, journal and finds, in step under one lock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable

from msgspec.structs import replace

from fuzz import messages
from fuzz.case import Origin
from fuzz.control import Control
from fuzz.events import Event, Find, Progress, Report, Saved, Settled, Subscriber, Warned
from fuzz.findbook import FindBook
from fuzz.guided.chain import Grown
from fuzz.guided.guide import Guide
from fuzz.guided.pool import Kept
from fuzz.journal import Journal
from fuzz.plan import Plan
from fuzz.profiles import ENUMERATED
from fuzz.schedule import Schedule, Work
from fuzz.statistics import Statistics
from fuzz.verdict import Bucket
from fuzz.waiting import BEAT

TICK = 0.1
"""Seconds between two looks at how the run does: a hundred workers report two thousand times a second."""


class Ledger:
    """Hands out work and records what came of it; no call lasts longer than writing it down.

    Args:
        plan: the run.
        control: its budgets.
        report: its numbers so far.
        journal: where they are kept.
        tell: told of each step, by one thread at a time.
        statistics: told of each batch.
        on_tick: called now and then, to show how the run does.
        start: asked by a fresh search for the kept cases that it begins with; one that goes on has them in its journal.

    Attributes:
        lock: guards all of this, and the find book.
        guide: makes the pools of a search whose cases are drawn; None where they are enumerated.
        reason: why the run stops, once it does.
        failure: what went wrong, if it is that.
    """

    book: FindBook

    def __init__(
        self,
        plan: Plan,
        control: Control,
        report: Report,
        journal: Journal,
        tell: Subscriber,
        statistics: Statistics,
        on_tick: Callable[[], None],
        start: Callable[[], Iterable[Kept]],
    ) -> None:
        self.lock = threading.RLock()
        self.guide: Guide | None = None
        self.reason: str | None = None
        self.failure: BaseException | None = None
        self._plan = plan
        self._control = control
        self._report = report
        self._journal = journal
        self._tell = tell
        self._statistics = statistics
        self._on_tick = on_tick
        self._ticked = float("-inf")
        self._schedule = Schedule(plan.attempts, *journal.progress())
        self._guiding = threading.Lock()
        if not set(plan.profiles) & set(ENUMERATED):
            grown = journal.epochs()
            self.guide = Guide(plan.seed, plan.profiles, plan.unit or 1, () if grown else start(), grown, self._keep)

    def epoch(self, work: Work) -> tuple[int, bytes]:
        """Where the epoch that a piece of work begins in ends it, if it does, and the epoch's pool.

        Whoever is first to need a pool makes it; the others go on meanwhile, or wait if they need it too.
        """
        if self.guide is None:
            return work.stop, b""
        targets = len(self._plan.targets)
        with self._guiding:
            stop, pool = self.guide.at(work.first // targets)
        return min(work.stop, stop * targets), pool

    def take(self) -> Work | None:
        """The next piece of work, waited for while others may leave some; None once the run is over."""
        while True:
            with self.lock:
                if self.over():
                    return None
                work = self._schedule.take()
            if work is not None:
                return work
            time.sleep(BEAT)

    @property
    def pairs(self) -> float | None:
        """Percent of the pairs of features that the cases looked at have shown; None before any was."""
        return round(self.guide.cover, 1) if self.guide and self.guide.cover else None

    def over(self) -> bool:
        """Whether the run must stop, or nothing is left."""
        with self.lock:
            if self.reason is None:
                self.reason = self._control.stop_reason(self._report.attempted, self._report.new_finds)
            return self.reason is not None or self.failure is not None or self._schedule.finished

    def stop_reason(self) -> str:
        """Why the run stopped; a signal also ends what comes after the search."""
        if self.reason is None or self._control.interrupted:
            self.reason = self._control.stop_reason(self._report.attempted, self._report.new_finds)
        return self.reason or "cases"

    def fail(self, error: BaseException) -> None:
        """End the run; the first error is the one that is told."""
        with self.lock:
            self.failure = self.failure or error

    def met(self, found: messages.Found) -> None:
        """Save a find as soon as it is told; it is counted with its batch."""
        with self.lock:
            if found.verdict.outcome == "infra":
                self.tell(Warned(f"attempt {found.attempt}: trouble of our own: {found.verdict.text}"))
                return
            index = found.attempt // len(self._plan.targets)
            origin = Origin("fuzz", seed=self._plan.seed, index=index, profile=found.profile)
            case = replace(found.case, origin=origin)
            self.book.met(case, found.target, found.profile, found.verdict, count=0)

    def record(self, work: Work, done: messages.BatchDone, met: list[Bucket]) -> bool:
        """Count a batch, its finds with it, and take the rest of the work back.

        Args:
            work: what was asked for.
            done: what came of it.
            met: the bucket of each of its finds.

        Returns:
            Whether the lane's worker has grown so much that it must be replaced.
        """
        with self.lock:
            report = self._report
            report.add(done.counts, done.unproved)
            report.compiled = max(report.compiled, done.compiled)
            report.seconds = self._control.elapsed
            for bucket in met:
                report.finds[bucket].count += 1
            self._schedule.hand_back(work, done.following)
            self._journal.batch(
                (work.slice, done.following),
                self._schedule.floor,
                done.counts,
                done.unproved,
                [row for bucket in set(met) for row in self._rows(report.finds[bucket])],
                {"seconds": report.seconds, "compiled": report.compiled},
            )
            if done.trouble:
                self.tell(Warned(done.trouble))
            grown = self._statistics.add(threading.get_ident(), done)  # a lane is a thread
            self.tick()
            return grown

    def tick(self) -> None:
        """Show how the run does, if that was not done just now."""
        with self.lock:
            report = self._report
            report.seconds = self._control.elapsed
            if report.seconds - self._ticked < TICK:
                return
            self._ticked = report.seconds
            rate = report.attempted / max(report.seconds, 1e-9)
            if self.guide:
                self._statistics.saw(len(self.guide.seen), self.guide.seen.cases)
            left, shares = self._control.left, self._statistics.shares
            workers = self._plan.workers or 1
            self.tell(Progress(report.attempted, report.new_finds, rate, left, workers, shares, self.pairs))
            for words in self._statistics.warnings():
                self.tell(Warned(words))
            self._on_tick()

    def tell(self, event: Event) -> None:
        """Pass an event on, and keep what it says of a find."""
        with self.lock:
            if isinstance(event, Saved | Settled):
                self._journal.finds(self._rows(event.find))
            self._tell(event)

    def _keep(self, grown: Grown) -> None:
        with self.lock:
            self._journal.epoch(grown)

    def _rows(self, find: Find) -> list[tuple[Bucket, Find]]:
        """A find under each bucket that it is met in; one that became part of another is that one."""
        return [(met, other) for met, other in self._report.finds.items() if other.bucket == find.bucket]
