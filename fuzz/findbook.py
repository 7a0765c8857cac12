"""The finds of a run: each bucket booked once, its case saved at once, then shrunk and replayed."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from fuzz import corpus
from fuzz.case import Case
from fuzz.codec import encode
from fuzz.control import Control
from fuzz.events import Find, Report, Saved, Settled, Subscriber, Warned
from fuzz.hands import Hands, asking
from fuzz.shrink import shrink
from fuzz.simplicity import order
from fuzz.verdict import Bucket, Verdict
from fuzz.waiting import Abandoned

REPLAYS = 10
DEADLY_REPLAYS = 1
"""Replays of a find that kills or hangs its worker each cost a worker."""

DEADLY_SHARE = 0.1
"""Part of the time left that such a find is shrunk for: the search must go on."""


class FindBook:
    """Books findings and brings each new bucket to its smallest case.

    Findings are booked by whoever makes them, while one thread shrinks and replays.

    Args:
        report: where finds and troubles are noted.
        folder: the corpus that finds go to.
        known: buckets that a corpus file explains.
        device_profile: whose launch limits held.
        units: each target's unit in bytes.
        hands: runs candidates and replays.
        control: how long there is.
        tell: told of each step.
        lock: guards report and book; not held while a case runs.
    """

    def __init__(
        self,
        report: Report,
        folder: Path,
        known: set[Bucket],
        device_profile: str,
        units: Mapping[str, int],
        hands: Hands,
        control: Control,
        tell: Subscriber,
        lock: threading.RLock | None = None,
    ) -> None:
        self._report = report
        self._folder = folder
        self._known = known
        self._device_profile = device_profile
        self._units = units
        self._hands = hands
        self._control = control
        self._tell = tell
        self._lock = lock or threading.RLock()
        self._shrinking: Find | None = None
        self._unsettled = [find for find in report.distinct if not find.known and not find.settled]

    def met(self, case: Case, target: str, profile: str, verdict: Verdict, *, count: int) -> None:
        """Book a finding: a new bucket's case is saved at once, a smaller case replaces a larger one."""
        with self._lock:
            bucket = verdict.bucket(target, self._device_profile)
            find = self._report.finds.get(bucket)
            if find is None:
                self._new(Find(bucket, case, verdict, profile, count, known=bucket in self._known))
                return
            find.count += count
            if order(case) < order(find.case) and not find.settled and find is not self._shrinking:
                find.case, find.verdict, find.profile = case, verdict, profile
                if not find.known:
                    self._save(find)

    def settle(self) -> None:
        """Shrink and replay what is new, the deadly last; what time leaves over stays saved as it is."""
        while self.settle_one():
            pass

    def settle_one(self) -> bool:
        """Shrink and replay the next find that is new; whether there was one, and no signal.

        A find that a signal cuts short keeps the best case so far and is not settled.
        """
        with self._lock:
            if not self._unsettled or self._control.interrupted:
                return False
            self._unsettled.sort(key=lambda find: find.verdict.lost)
            find = self._shrinking = self._unsettled.pop(0)
        self._shrink(find)
        self._replay(find)
        with self._lock:
            find.settled = not self._control.interrupted
            self._shrinking = None
            self._tell(Settled(find))
        return True

    def _new(self, find: Find) -> None:
        self._report.finds[find.bucket] = find
        if not find.known:
            self._save(find)
            self._tell(Saved(find))
            self._unsettled.append(find)

    def _shrink(self, find: Find) -> None:
        seconds = self._control.shrink_seconds()
        if find.verdict.lost:
            seconds *= DEADLY_SHARE

        shrunk = shrink(
            find.case,
            find.bucket,
            asking(self._hands, find.bucket.target, lambda: self._control.interrupted),
            profile=find.profile,
            unit=self._units[find.bucket.target],
            seconds=seconds,
            deadly=find.verdict.lost,
            on_other=lambda case, verdict: self.met(case, find.bucket.target, find.profile, verdict, count=0),
        )
        with self._lock:
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
        while times < most and not ((times or deadly) and self._control.left == 0.0) and not self._control.interrupted:
            try:
                verdict = self._hands.attempt(find.case, find.bucket.target)
            except Abandoned:
                break
            times += 1
            if verdict.shows(find.bucket):
                shown += 1
                find.verdict = verdict
        with self._lock:
            find.replays = (shown, times)
            if shown < times:
                self._unstable(find, shown, times)

    def _unstable(self, find: Find, shown: int, times: int) -> None:
        before, path = find.bucket, find.path
        find.bucket, find.verdict = before.unstable(shown, times)
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
