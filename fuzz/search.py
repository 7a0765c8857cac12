"""What a worker does with a stretch of attempts: draw, run and judge, small cases together where that is possible.

The next batch is launched before the last one is judged, so that the device works while the host draws and
compares. All that is left of an attempt once it has landed is its count, so a stretch that ends anywhere
can go on at the next attempt.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator

from fuzz import messages
from fuzz.attempts import Attempts
from fuzz.batch import Batch, batchable, grouped
from fuzz.build import numbered
from fuzz.flight import InFlight
from fuzz.guided.pool import EMPTY, Pool, decode
from fuzz.suspects import Proved, Suspects

Send = Callable[[messages.Found], None]


class Search:
    """Runs stretches of attempts, one after the other.

    Args:
        attempts: runs cases.
    """

    def __init__(self, attempts: Attempts) -> None:
        self._attempts = attempts
        self._suspects = Suspects(attempts)
        self._pool = EMPTY

    def run(self, request: messages.Batch, send: Send) -> messages.BatchDone:
        """Run attempts until they or their time are over, sending each find before it is counted."""
        if request.pool is not None:
            self._pool = Pool(decode(request.pool))
        return _Stretch(self._attempts, self._suspects, self._pool, request, send).run()


class _Stretch:
    def __init__(self, attempts: Attempts, suspects: Suspects, pool: Pool, request: messages.Batch, send: Send) -> None:
        self._attempts = attempts
        self._suspects = suspects
        self._pool = pool
        self._request = request
        self._send = send
        search = attempts.engine.patience.search
        self._patience = search if request.patience is None else request.patience
        self._together = attempts.engine.batches and not (request.alone or request.tell)
        self._counts: Counter[str] = Counter()
        self._unproved: Counter[str] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._following = request.first
        self._lost = False

    def run(self) -> messages.BatchDone:
        """All of it."""
        self._attempts.slot.restart()
        until = time.monotonic() + self._request.seconds
        flying: Batch | None = None
        for group in grouped(self._drawn(), self._alone):
            launched = self._launch(group, flying) if len(group) > 1 else None
            if flying:
                self._judge(flying, launched)
            if not launched:
                self._one(group[0])
            flying = launched
            if self._lost or time.monotonic() > until:
                break
        else:
            self._following = self._request.stop
        if flying:
            self._judge(flying, None)
        return messages.BatchDone(self._following, self._counts, self._unproved, seconds=self._seconds)

    def _alone(self, one: InFlight) -> bool:
        return not (self._together and batchable(one.profile, one.case))

    def _drawn(self) -> Iterator[InFlight]:
        request, names = self._request, list(self._attempts.targets)
        for attempt in range(request.first, request.stop):
            index, turn = divmod(attempt, len(names))
            if request.only_told and index % request.tell:
                continue
            begun = time.perf_counter()
            case, profile = numbered(request.seed, index, request.profiles, request.unit, self._pool)
            self._seconds["generate"] += time.perf_counter() - begun
            yield InFlight(attempt, names[turn], profile, case)

    def _launch(self, group: list[InFlight], beside: Batch | None) -> Batch:
        begun = time.perf_counter()
        batch = self._attempts.launched(group, beside, self._patience)
        self._seconds["launch"] += time.perf_counter() - begun
        return batch

    def _judge(self, batch: Batch, beside: Batch | None) -> None:
        begun = time.perf_counter()
        self._land(self._suspects.proved(batch, beside, self._patience), flying=beside is not None)
        self._seconds["compare"] += time.perf_counter() - begun

    def _one(self, running: InFlight) -> None:
        begun = time.perf_counter()
        verdict = self._attempts.alone(running, self._patience)
        self._seconds["alone"] += time.perf_counter() - begun
        self._lost = verdict.lost
        self._land([Proved(running, verdict)])

    def _land(self, proved: list[Proved], *, flying: bool = False) -> None:
        request = self._request
        for one, verdict in proved:
            told = request.tell and not one.attempt // len(self._attempts.targets) % request.tell
            if told or verdict.outcome in ("finding", "infra"):
                self._send(messages.Found(one.attempt, one.target, one.profile, one.case, verdict))
            self._counts[verdict.outcome] += 1
            if verdict.outcome == "unproved":
                self._unproved[one.profile] += 1
        self._attempts.slot.land((verdict.outcome for _, verdict in proved), clear=not flying)
        self._following = proved[-1].running.attempt + 1
