"""Many processes at once: started, warmed up, and released together."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier, BrokenBarrierError
from types import NoneType

from fuzz.bench.crews import timed
from fuzz.supervisor import crew_of

Spans = list[tuple[float, float]]
"""Begin and end of each round of one worker, on one clock."""

READY = 600.0
"""Seconds that the slowest worker may take to start and to compile."""


def seconds_together(target: str, engine: str, workers: int, cases: int, passes: int, rounds: int) -> list[float]:
    """Wall seconds of each round, in which every worker runs the set ``passes`` times.

    A round begins when all are ready and ends with the last of them.

    Raises:
        EngineError: if a case does not pass.
    """
    start = Barrier(workers, timeout=READY)
    with ExitStack() as stack:
        crews = [stack.enter_context(crew_of((target,), engine)) for _ in range(workers)]

        def work(number: int) -> Spans:
            crew = crews[number]
            try:
                timed(crew, cases)
                mine: Spans = []
                for _ in range(rounds):
                    start.wait()
                    begun = time.perf_counter()
                    for _ in range(passes):
                        timed(crew, cases)
                    mine.append((begun, time.perf_counter()))
            except BaseException:
                start.abort()  # the others must not wait for this one
                raise
            return mine

        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(work, number) for number in range(workers)]
        spans = [future.result() for future in _own_troubles_first(futures)]
    return [max(end for _, end in one) - min(begun for begun, _ in one) for one in zip(*spans, strict=True)]


def _own_troubles_first(futures: list[Future[Spans]]) -> list[Future[Spans]]:
    """In an order in which a worker's own trouble is raised before that of those that waited for it."""
    return sorted(futures, key=lambda future: isinstance(future.exception(), (NoneType, BrokenBarrierError)))
