"""A run of the search: lanes until a budget is used up, and the finds on their way to the smallest case."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from fuzz import corpus, messages, pinning
from fuzz.codec import encode
from fuzz.control import Control
from fuzz.cross_check import CrossCheck
from fuzz.errors import JournalError, KvzeroError
from fuzz.events import Ended, Report, Started, Subscriber, Warned, Whole
from fuzz.findbook import FindBook
from fuzz.fleet import Between, Fleet
from fuzz.guided import coverage
from fuzz.guided.pool import Kept
from fuzz.journal import Journal
from fuzz.lane import BATCH_SECONDS, search
from fuzz.ledger import Ledger
from fuzz.open_finds import replayed
from fuzz.plan import Plan
from fuzz.profiles import bound
from fuzz.reports.stats_files import StatsFiles
from fuzz.statistics import Statistics
from fuzz.supervisor import Crew

MANY_UNPROVED = 0.05


@dataclass(frozen=True)
class Kit:
    """What a campaign works with: budgets, lanes, journal, somebody to tell; perhaps a second engine, files to show."""

    control: Control
    fleet: Fleet
    journal: Journal
    tell: Subscriber
    check: CrossCheck | None = None
    files: StatsFiles | None = None


class Campaign:
    """One run, from its start or from where its journal ends; :meth:`run` gives its report.

    Attributes:
        report: the numbers so far.
        book: the finds so far.
    """

    def __init__(self, plan: Plan, kit: Kit) -> None:
        known = corpus.known(plan.corpus, corpus.shipped()) if plan.use_known else set()
        self._kit = kit
        self._opened = opened = kit.fleet.open()
        self._plan = pinning.decided(plan, opened, alone=kit.check is not None)
        size = bound(self._plan.profiles, self._plan.unit or 1)
        whole = None if size is None else Whole(size, len(plan.targets))
        if whole:
            kit.control.end_at(whole.size * whole.targets)
        kit.journal.state(
            {
                **pinning.facts(self._plan, opened),
                "whole": msgspec.json.encode(whole).decode(),
                "stop_reason": None,
                "trouble": None,
            }
        )
        self.report = Report(plan.seed)
        kit.journal.restore(self.report)
        fast = opened.engine == "cuda" and self._plan.profiles == ("small",)
        self._statistics = Statistics(self.report, self._plan.workers or 1, fast=fast, used=kit.control.elapsed)
        self._ledger = Ledger(
            self._plan,
            kit.control,
            self.report,
            kit.journal,
            kit.tell,
            self._statistics,
            self._show_now_and_then,
            self._start,
        )
        self.book = self._ledger.book = FindBook(
            self.report,
            plan.corpus,
            known,
            opened.device_profile,
            opened.units,
            kit.fleet,
            kit.control,
            self._ledger.tell,
            self._ledger.lock,
        )

    def _start(self) -> list[Kept]:
        """The kept cases that a search begins with; what it leaves out is told."""
        plan = self._plan
        start = coverage.start(plan.corpus, plan.profiles, plan.unit or 1)
        if start.left_out:
            self._kit.tell(Warned(start.left_out))
        return start.rows

    def run(self) -> Report:
        """Search until a budget is used up, or workers keep dying; finds are saved and reported either way."""
        plan, opened, report = self._plan, self._opened, self.report
        self._ledger.tell(
            Started(
                plan.seed,
                plan.targets,
                plan.profiles,
                opened.engine,
                opened.device,
                opened.device_profile,
                plan.corpus,
                plan.workers or 1,
                report.whole,
            )
        )
        try:
            self._look_at_open_finds()
            report.stop_reason = self._searched()
            self._end()
        except KvzeroError as error:
            report.stop_reason, report.trouble = "infrastructure", str(error)
            self._broken(error)
        self._warn()
        self._kit.tell(Ended(report))
        return report

    def _look_at_open_finds(self) -> None:
        """Replay what earlier runs found, once in a campaign."""
        kit = self._kit
        if kit.journal.fact("open") is None:
            profile = self._opened.device_profile
            self.report.open = replayed(self._plan.corpus, self._plan.targets, profile, kit.fleet, kit.control)
            kit.journal.state({"open": msgspec.json.encode(self.report.open).decode()})

    def _searched(self) -> str:
        """Why the search stopped, once all lanes are done and all finds settled, as far as time goes."""
        ledger, fleet = self._ledger, self._kit.fleet
        fleet.start(self._plan.workers or 1, self._lane, ledger.over, ledger.fail)
        try:
            while fleet.running:
                if not self.book.settle_one():
                    fleet.rest()
                    fleet.wait(BATCH_SECONDS)
                    ledger.tick()
            if ledger.failure is None:
                self.book.settle()
        except KvzeroError as error:
            ledger.fail(error)
            while fleet.running:
                fleet.wait(BATCH_SECONDS)
        if ledger.failure:
            raise ledger.failure
        return ledger.stop_reason()

    def _lane(self, crew: Crew, between: Between) -> None:
        opened, control = self._opened, self._kit.control
        request = messages.Batch(self._plan.seed, self._plan.profiles, self._plan.unit or 1, 0, 0, 0.0)
        search(crew, self._ledger, control, request, opened.device_profile, between, self._kit.check)

    def _end(self) -> None:
        """Write down how the run ended."""
        self.report.seconds = self._kit.control.elapsed
        facts = {name: getattr(self.report, name) for name in ("seconds", "stop_reason", "trouble")}
        self._show()
        self._kit.journal.state(facts)

    def _show_now_and_then(self) -> None:
        if self._kit.files and self._kit.files.due(self.report.seconds):
            self._show()

    def _show(self) -> None:
        if self._kit.files:
            numbers = self._statistics.numbers(self._kit.fleet.deaths.count)
            self._kit.files.write(numbers | {"pairs": self._ledger.pairs})

    def _broken(self, error: KvzeroError) -> None:
        """Write down what went wrong; if that cannot be written either, print what else would be lost."""
        try:
            self._end()
        except JournalError as broken:
            error = broken
        if isinstance(error, JournalError):
            self.report.lost = True
            for find in self.report.distinct:
                self._kit.tell(Warned(f"{find.bucket} in {find.count} cases, as it stands now\n{encode(find.case)}"))

    def _warn(self) -> None:
        outside = sum(count for name, count in self.report.unproved_by_profile.items() if name != "launch")
        if outside > MANY_UNPROVED * max(self.report.attempted, 1):
            engine = self._opened.engine
            words = f"{outside} cases outside profile launch are unproved: {engine} cannot hold them; a GPU can"
            self._kit.tell(Warned(words))
