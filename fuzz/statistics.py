"""How a run does: rates, where its time goes, what its workers hold, and what a user should know of it."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from typing import Any

from fuzz.events import Report
from fuzz.messages import BatchDone

WINDOW = 10.0
"""Seconds over which the rate of now is taken."""

GROWTH = 2 * 2**30
"""Bytes that a worker may grow by: a target that leaks must not end the machine."""

MOSTLY_GENERATING = 0.5
SLOW = 100.0
SETTLING_SECONDS = 30.0
"""A rate is judged after so long, when kernels are compiled and all workers are there."""

STILL, LOOKED = 1800.0, 512
"""Seconds, and cases looked at, without a new pair of features after which more of the same promises little."""


class Statistics:
    """The numbers of a run that its report does not need.

    Args:
        report: the run's own numbers.
        workers: how many search at once.
        fast: whether the run should be fast, small cases on a GPU.
        used: seconds that earlier parts of the run used.
    """

    def __init__(self, report: Report, workers: int, *, fast: bool, used: float = 0.0) -> None:
        self._report = report
        self._workers = workers
        self._fast = fast
        self._begun = used
        self._before = report.attempted
        self._seconds: Counter[str] = Counter()
        self._least: dict[int, int] = {}
        self._memory: dict[int, int] = {}
        self._grown = False
        self._recent: deque[tuple[float, int]] = deque()
        self._finds = report.new_finds
        self._found_at: float | None = None
        self._said: set[str] = set()
        self._pairs = self._looked = self._new_after = 0
        self._new_at = used

    def add(self, lane: int, done: BatchDone) -> bool:
        """Count a batch; whether the lane's worker has grown so much that it must be replaced."""
        self._seconds.update(done.seconds)
        if not done.memory:
            return False
        self._memory[lane] = done.memory
        self._least[lane] = min(self._least.get(lane, done.memory), done.memory)
        grown = done.memory - self._least[lane] > GROWTH
        if grown:
            self._grown = True
            del self._least[lane]
        return grown

    def saw(self, pairs: int, looked: int) -> None:
        """Note how many pairs of features have been shown by now, by so many cases that were looked at."""
        self._looked = looked
        if pairs > self._pairs:
            self._pairs, self._new_at, self._new_after = pairs, self._report.seconds, looked

    @property
    def shares(self) -> dict[str, float]:
        """Parts of the workers' time by what they did; empty if they do not tell."""
        whole = sum(self._seconds.values())
        return {name: seconds / whole for name, seconds in self._seconds.items()} if whole else {}

    def numbers(self, deaths: int) -> dict[str, Any]:
        """Everything, for ``stats.json``: seconds, bytes, cases a second."""
        report = self._report
        now = report.seconds
        if report.new_finds != self._finds:
            self._finds, self._found_at = report.new_finds, now
        self._recent.append((now, report.attempted))
        while len(self._recent) > 2 and now - self._recent[0][0] > WINDOW:
            self._recent.popleft()
        (first, before), (last, after) = self._recent[0], self._recent[-1]
        return {
            "attempted": report.attempted,
            **report.counts,
            "seconds": round(now, 1),
            "rate_now": round((after - before) / (last - first), 1) if last > first else 0.0,
            "rate_mean": round(report.attempted / max(now, 1e-9), 1),
            "finds": report.new_finds,
            "seconds_since_find": None if self._found_at is None else round(now - self._found_at, 1),
            "workers": self._workers,
            "deaths": deaths,
            "compiled": report.compiled,
            "shares": {name: round(share, 3) for name, share in self.shares.items()},
            "memory": sum(self._memory.values()),
            "stop_reason": report.stop_reason or None,
            "written": round(time.time(), 1),
        }

    def warnings(self) -> Iterator[str]:
        """What the user should know, each sentence once in a run."""
        for name, words in self._troubles().items():
            if name not in self._said:
                self._said.add(name)
                yield words

    def _troubles(self) -> Mapping[str, str]:
        report, seconds = self._report, self._report.seconds - self._begun
        rate = (report.attempted - self._before) / max(seconds, 1e-9)
        troubles = {}
        if self._grown:
            troubles["memory"] = f"a worker grew by more than {GROWTH >> 30} GB and was replaced; the target may leak"
        unstable = [str(find.bucket) for find in report.distinct if find.bucket.kind == "unstable"]
        if unstable:
            troubles["unstable"] = f"{unstable[0]}: not every replay shows it; its target may depend on earlier calls"
        if report.seconds - self._new_at > STILL and self._looked - self._new_after >= LOOKED:
            troubles["still"] = f"no new pair of features for {STILL / 60:.0f} min; other profiles show more"
        if seconds < SETTLING_SECONDS:
            return troubles
        if self.shares.get("generate", 0.0) > MOSTLY_GENERATING:
            troubles["generate"] = "over half of the time goes into drawing cases; fewer profiles or targets draw less"
        if self._fast and rate < SLOW:
            troubles["slow"] = f"{rate:.0f} cases/s is slow for small cases on a GPU; is somebody else using it?"
        return troubles
