"""A run of the search: batches until a budget is used up, each find saved, shrunk and replayed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fuzz import corpus, flight, messages
from fuzz.case import Case, Origin, order
from fuzz.codec import encode
from fuzz.control import Control
from fuzz.errors import KvzeroError
from fuzz.events import Ended, Find, Progress, Report, Saved, Settled, Started, Subscriber, Warned
from fuzz.profiles.parts import replace
from fuzz.shrink import shrink
from fuzz.shrink.shrinker import DEADLY
from fuzz.shrink.trial import OutOfBudget
from fuzz.supervisor import Crew
from fuzz.verdict import Verdict

BATCH_SECONDS = 0.25
"""How often a worker reports, and so how soon a run sees a signal."""

REPLAYS = 10
DEADLY_REPLAYS = 1
"""Replays of a find that kills or hangs its worker each cost a worker."""

MANY_UNPROVED = 0.05
NO_LIMIT = 2**62


@dataclass(frozen=True)
class Plan:
    """What to search.

    Attributes:
        targets: locators.
        profiles: shapes of cases, taken by turns.
        seed: decides every case.
        corpus: where finds go.
        engine: engine by name, or None for the best there is.
        device_profile: launch limits by name, or None for the engine's own.
        use_known: whether finds that a corpus file explains are counted apart.
    """

    targets: tuple[str, ...]
    profiles: tuple[str, ...]
    seed: int
    corpus: Path
    engine: str | None = None
    device_profile: str | None = None
    use_known: bool = True


class Campaign:
    """One run; :meth:`run` gives its report.

    Attributes:
        report: the numbers so far.
    """

    def __init__(self, plan: Plan, control: Control, crew: Crew, subscriber: Subscriber) -> None:
        self.report = Report(plan.seed)
        self._plan = plan
        self._control = control
        self._crew = crew
        self._tell = subscriber
        self._known = corpus.known(plan.corpus, corpus.shipped()) if plan.use_known else set()
        self._opened = crew.open()
        self._unsettled: list[Find] = []

    def run(self) -> Report:
        """Search until a budget is used up.

        Raises:
            WorkerError: if workers keep dying; everything found so far is saved and reported first.
        """
        plan, report = self._plan, self.report
        opened = self._opened
        self._tell(
            Started(
                plan.seed, plan.targets, plan.profiles, opened.engine, opened.device, opened.device_profile, plan.corpus
            )
        )
        try:
            following = 0
            while not (reason := self._stop_reason()):
                following = self._batch(following)
                self._settle()
            report.stop_reason = reason
        except KvzeroError as error:
            report.stop_reason, report.trouble = "infrastructure", str(error)
        report.seconds = self._control.elapsed
        self._warn()
        self._tell(Ended(report))
        return report

    def met(self, case: Case, target: str, profile: str, verdict: Verdict, *, count: int) -> None:
        """Book a finding: a new bucket's case is saved at once, a smaller case replaces a larger one."""
        bucket = verdict.bucket(target, self._opened.device_profile)
        find = self.report.finds.get(bucket)
        if find is not None:
            find.count += count
            if order(case) < order(find.case) and not find.smallest:
                find.case, find.verdict, find.profile = case, verdict, profile
            return
        find = Find(bucket, case, verdict, profile, count, known=bucket in self._known)
        self.report.finds[bucket] = find
        if not find.known:
            self._save(find)
            self._tell(Saved(find))
            self._unsettled.append(find)

    def _stop_reason(self) -> str | None:
        new = sum(not find.known for find in self.report.finds.values())
        return self._control.stop_reason(self.report.attempted, new)

    def _batch(self, first: int) -> int:
        plan = self._plan
        left = self._control.left
        done = self._crew.batch(
            messages.Batch(
                plan.seed,
                plan.profiles,
                min(self._opened.units.values()),
                first,
                NO_LIMIT if self._control.attempts is None else self._control.attempts,
                BATCH_SECONDS if left is None else min(BATCH_SECONDS, left),
            ),
            self._found,
        )
        for outcome, count in done.counts.items():
            self.report.counts[outcome] += count
        for profile, count in done.unproved.items():
            by_profile = self.report.unproved_by_profile
            by_profile[profile] = by_profile.get(profile, 0) + count
        self._progress()
        return done.following

    def _found(self, found: messages.Found) -> None:
        if found.verdict.outcome == "infra":
            self._tell(Warned(f"attempt {found.attempt}: trouble of our own: {found.verdict.text}"))
            return
        origin = Origin(
            "fuzz", seed=self._plan.seed, index=found.attempt // len(self._plan.targets), profile=found.profile
        )
        self.met(replace(found.case, origin=origin), found.target, found.profile, found.verdict, count=1)

    def _settle(self) -> None:
        """Shrink and replay what is new, until time is up; what is left stays saved as it is."""
        while self._unsettled and not self._control.interrupted:
            find = self._unsettled.pop(0)
            self._progress(f"shrinking {find.bucket}")
            unit = self._opened.units[find.bucket.target]

            def attempt(case: Case, *, rehearse: bool = False, find: Find = find) -> Verdict:
                if self._control.interrupted:
                    raise OutOfBudget
                return self._crew.attempt(case, find.bucket.target, rehearse=rehearse)

            def other(case: Case, verdict: Verdict, find: Find = find) -> None:
                self.met(case, find.bucket.target, find.profile, verdict, count=0)

            shrunk = shrink(
                find.case,
                find.bucket,
                attempt,
                profile=find.profile,
                unit=unit,
                seconds=self._control.shrink_seconds(),
                on_other=other,
            )
            find.case = replace(shrunk.case, origin=find.case.origin)
            find.smallest = shrunk.finished
            self._save(find)
            self._replay(find)
            self._tell(Settled(find))

    def _replay(self, find: Find) -> None:
        """Run the find's case again; if it shows only sometimes, it is filed under ``unstable``.

        At least one replay is made even if time is up. The report still counts it where it was first met, so that it is not shrunk over and over.
        """
        most = DEADLY_REPLAYS if find.bucket.kind in DEADLY else REPLAYS
        shown = times = 0
        while times < most and not (times and self._control.left == 0.0):
            times += 1
            verdict = self._crew.attempt(find.case, find.bucket.target)
            if verdict.outcome == "finding" and verdict.bucket(*find.bucket[:2]) == find.bucket:
                shown += 1
                find.verdict = verdict
        find.replays = (shown, times)
        if shown < times:
            find.verdict = Verdict("finding", "unstable", text=f"{find.bucket.label} in {shown} of {times} replays")
            find.bucket = find.bucket._replace(kind="unstable", detail="")
            if find.path is not None:
                find.path.unlink(missing_ok=True)
            self._save(find)

    def _save(self, find: Find) -> None:
        try:
            find.path = corpus.keep(self._plan.corpus, find.case, find.bucket)
        except OSError as error:
            find.path = None
            self.report.trouble = f"corpus={self._plan.corpus}: {error.strerror}; the find below is in no file"
            self._tell(Warned(f"{self.report.trouble}\n{find.bucket}\n{encode(find.case)}"))

    def _progress(self, doing: str = "") -> None:
        elapsed = self._control.elapsed
        finds = sum(not find.known for find in self.report.finds.values())
        attempted = self.report.attempted
        self._tell(Progress(attempted, finds, attempted / max(elapsed, 1e-9), self._control.left, doing))

    def _warn(self) -> None:
        outside = sum(count for name, count in self.report.unproved_by_profile.items() if name != "launch")
        if outside > MANY_UNPROVED * max(self.report.attempted, 1):
            self._tell(
                Warned(
                    f"{outside} cases outside profile launch are unproved: {self._opened.engine} cannot "
                    "hold them; a GPU can"
                )
            )


def recover(plan: Plan, folder: Path, campaign: Campaign, crew: Crew, subscriber: Subscriber) -> None:
    """Replay what was in flight when an earlier run was killed, and forget it once it has a verdict."""
    for path, left in flight.abandoned(folder):
        running = left.running
        if running is None or running.target not in plan.targets:
            continue
        subscriber(
            Warned(
                f"an earlier run was killed while this case was in flight on {running.target}; "
                f"replaying it\n{encode(running.case)}"
            )
        )
        verdict = crew.attempt(running.case, running.target)
        subscriber(Warned(f"the case in flight: {verdict.label()} {verdict.text}".rstrip()))
        if verdict.outcome == "finding":
            campaign.met(running.case, running.target, running.profile, verdict, count=0)
        path.unlink(missing_ok=True)
