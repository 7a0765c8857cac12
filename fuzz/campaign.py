"""A run of the search: batches until a budget is used up."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from fuzz import corpus, messages
from fuzz.case import Origin
from fuzz.control import Control
from fuzz.cross_check import OTHER, CrossCheck
from fuzz.errors import EngineError, KvzeroError
from fuzz.events import Ended, Progress, Report, Started, Subscriber, Warned
from fuzz.findbook import FindBook
from fuzz.profiles import fitting
from fuzz.supervisor import Crew

BATCH_SECONDS = 0.25
"""How often a worker reports, and so how soon a run sees a signal."""

MANY_UNPROVED = 0.05


@dataclass(frozen=True)
class Plan:
    """What to search.

    Attributes:
        targets: locators.
        profiles: shapes of cases, taken by turns; none for the usual ones of what the targets take.
        seed: decides every case.
        corpus: where finds go.
        engine: engine by name, or None for the best there is.
        device_profile: launch limits by name, or None for the engine's own.
        use_known: whether finds that a corpus file explains are counted apart.
        cross_check: each case whose number is a multiple of this runs on a second engine, too; 0 for none.
    """

    targets: tuple[str, ...]
    profiles: tuple[str, ...]
    seed: int
    corpus: Path
    engine: str | None = None
    device_profile: str | None = None
    use_known: bool = True
    cross_check: int = 0

    def opening(self, *targets: str) -> messages.Open:
        """What a worker is told first; other targets may stand in for the plan's."""
        return messages.Open(targets or self.targets, self.engine, self.device_profile, "")

    def second_opening(self, opened: messages.Opened) -> messages.Open:
        """The same for the engine that checks the one that was opened."""
        return messages.Open(self.targets, OTHER[opened.engine], opened.device_profile, "")


class Campaign:
    """One run; :meth:`run` gives its report.

    Attributes:
        report: the numbers so far.
        book: the finds so far.
    """

    def __init__(
        self, plan: Plan, control: Control, crew: Crew, subscriber: Subscriber, check: CrossCheck | None = None
    ) -> None:
        known = corpus.known(plan.corpus, corpus.shipped()) if plan.use_known else set()
        self._control = control
        self._crew = crew
        self._tell = subscriber
        self._check = check
        self._opened = crew.open()
        self._plan = dataclasses.replace(plan, profiles=fitting(plan.profiles, self._opened.takes))
        self.report = Report(plan.seed)
        self.book = FindBook(
            self.report,
            plan.corpus,
            known,
            self._opened.device_profile,
            self._opened.units,
            crew,
            control,
            subscriber,
        )

    def run(self) -> Report:
        """Search until a budget is used up, or workers keep dying; finds are saved and reported either way."""
        plan, opened = self._plan, self._opened
        self._tell(
            Started(
                plan.seed,
                plan.targets,
                plan.profiles,
                opened.engine,
                opened.device,
                opened.device_profile,
                plan.corpus,
            )
        )
        try:
            following = 0
            self.book.settle()
            while not (reason := self._stop_reason()):
                following = self._batch(following)
                self.book.settle()
            self.report.stop_reason = reason
        except KvzeroError as error:
            self.report.stop_reason, self.report.trouble = "infrastructure", str(error)
        self.report.seconds = self._control.elapsed
        self._warn()
        self._tell(Ended(self.report))
        return self.report

    def _stop_reason(self) -> str | None:
        return self._control.stop_reason(self.report.attempted, self.report.new_finds)

    def _batch(self, first: int) -> int:
        left = self._control.left
        request = messages.Batch(
            self._plan.seed,
            self._plan.profiles,
            min(self._opened.units.values()),
            first,
            messages.NO_STOP if self._control.attempts is None else self._control.attempts,
            BATCH_SECONDS if left is None else min(BATCH_SECONDS, left),
        )
        done = self._crew.batch(self._check.asks(request) if self._check else request, self._found)
        self.report.add(done.counts, done.unproved)
        self.report.compiled = max(self.report.compiled, done.compiled)
        if done.trouble:
            self._tell(Warned(done.trouble))
        attempted = self.report.attempted
        rate = attempted / max(self._control.elapsed, 1e-9)
        self._tell(Progress(attempted, self.report.new_finds, rate, self._control.left))
        if self._check:
            differ = self._check.disagreement(request, done.following, self._opened.engine)
            if differ:
                raise EngineError(differ)
        return done.following

    def _found(self, found: messages.Found) -> None:
        if self._check:
            self._check.note(found)
        if found.verdict.outcome not in ("finding", "infra"):
            return
        if found.verdict.outcome == "infra":
            self._tell(Warned(f"attempt {found.attempt}: trouble of our own: {found.verdict.text}"))
            return
        index = found.attempt // len(self._plan.targets)
        origin = Origin("fuzz", seed=self._plan.seed, index=index, profile=found.profile)
        case = replace(found.case, origin=origin)
        self.book.met(case, found.target, found.profile, found.verdict, count=1)

    def _warn(self) -> None:
        outside = sum(count for name, count in self.report.unproved_by_profile.items() if name != "launch")
        if outside > MANY_UNPROVED * max(self.report.attempted, 1):
            engine = self._opened.engine
            words = f"{outside} cases outside profile launch are unproved: {engine} cannot hold them; a GPU can"
            self._tell(Warned(words))
