"""The finds of a run: each bucket booked once, its case saved at once, then shrunk and replayed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from fuzz import corpus
from fuzz.case import Case
from fuzz.codec import encode
from fuzz.control import Control
from fuzz.events import Find, Report, Saved, Settled, Subscriber, Warned
from fuzz.shrink import shrink
from fuzz.shrink.trial import OutOfBudget
from fuzz.simplicity import order
from fuzz.supervisor import Crew
from fuzz.verdict import Bucket, Verdict

REPLAYS = 10
DEADLY_REPLAYS = 1
"""Replays of a find that kills or hangs its worker each cost a worker."""

DEADLY_SHARE = 0.1
"""Part of the time left that such a find is shrunk for: the search must go on."""


class FindBook:
    """Books findings and brings each new bucket to its smallest case.

    Args:
        report: where finds and troubles are noted.
        folder: the corpus that finds go to.
        known: buckets that a corpus file explains.
        device_profile: whose launch limits held.
        units: each target's unit in bytes.
        crew: runs candidates and replays.
        control: how long there is.
        tell: told of each step.
    """

    def __init__(
        self,
        report: Report,
        folder: Path,
        known: set[Bucket],
        device_profile: str,
        units: Mapping[str, int],
        crew: Crew,
        control: Control,
        tell: Subscriber,
    ) -> None:
        self._report = report
        self._folder = folder
        self._known = known
        self._device_profile = device_profile
        self._units = units
        self._crew = crew
        self._control = control
        self._tell = tell
        self._unsettled: list[Find] = []

    def met(self, case: Case, target: str, profile: str, verdict: Verdict, *, count: int) -> None:
        """Book a finding: a new bucket's case is saved at once, a smaller case replaces a larger one."""
        bucket = verdict.bucket(target, self._device_profile)
        find = self._report.finds.get(bucket)
        if find is not None:
            find.count += count
            if order(case) < order(find.case) and not find.settled:
                find.case, find.verdict, find.profile = case, verdict, profile
                if not find.known:
                    self._save(find)
            return
        find = Find(bucket, case, verdict, profile, count, known=bucket in self._known)
        self._report.finds[bucket] = find
        if not find.known:
            self._save(find)
            self._tell(Saved(find))
            self._unsettled.append(find)

    def settle(self) -> None:
        """Shrink and replay what is new, the deadly last; what time leaves over stays saved as it is."""
        while self._unsettled and not self._control.interrupted:
            self._unsettled.sort(key=lambda find: find.verdict.lost)
            find = self._unsettled.pop(0)
            self._shrink(find)
            self._replay(find)
            find.settled = True
            self._tell(Settled(find))

    def _shrink(self, find: Find) -> None:
        seconds = self._control.shrink_seconds()
        if find.verdict.lost:
            seconds *= DEADLY_SHARE

        def attempt(case: Case, *, rehearse: bool = False, fresh: bool = False) -> Verdict:
            if self._control.interrupted:
                raise OutOfBudget
            if fresh:
                self._crew.renew()
            return self._crew.attempt(case, find.bucket.target, rehearse=rehearse)

        shrunk = shrink(
            find.case,
            find.bucket,
            attempt,
            profile=find.profile,
            unit=self._units[find.bucket.target],
            seconds=seconds,
            deadly=find.verdict.lost,
            on_other=lambda case, verdict: self.met(case, find.bucket.target, find.profile, verdict, count=0),
        )
        find.case = replace(shrunk.case, origin=find.case.origin)
        find.smallest = shrunk.finished
        self._save(find)

    def _replay(self, find: Find) -> None:
        """Run the find's case again; if it shows only sometimes, it is filed under ``unstable``.

        At least one replay is made even if time is up, but none that kills a worker. The report still
        counts the find where it was first met, so that it is not shrunk over and over.
        """
        deadly = find.verdict.lost
        most = DEADLY_REPLAYS if deadly else REPLAYS
        shown = times = 0
        while times < most and not ((times or deadly) and self._control.left == 0.0):
            times += 1
            verdict = self._crew.attempt(find.case, find.bucket.target)
            if verdict.shows(find.bucket):
                shown += 1
                find.verdict = verdict
        find.replays = (shown, times)
        if shown < times:
            find.verdict = Verdict("finding", "unstable", text=f"{find.bucket.label} in {shown} of {times} replays")
            before, path = find.bucket, find.path
            find.bucket = before._replace(kind="unstable", detail="")
            self._save(find)
            if path is not None:
                corpus.forget(path, before)
            self._report.merge(find)

    def _save(self, find: Find) -> None:
        try:
            find.path = corpus.keep(self._folder, find.case, find.bucket)
        except OSError as error:
            find.path = None
            self._report.trouble = f"corpus={self._folder}: {error.strerror}; the find below is in no file"
            self._tell(Warned(f"{self._report.trouble}\n{find.bucket}\n{encode(find.case)}"))
