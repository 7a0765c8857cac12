"""The simulator beside the interpreter: small cases a second, and one launch of millions of programs."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from fuzz import messages
from fuzz.bench.machine import machine
from fuzz.case import Call, Case, Segment
from fuzz.errors import EngineError
from fuzz.ids import Ids
from fuzz.supervisor import Crew

TARGET = "masked_grid"
CASES = 200
"""The fixed case set: the first so many of profile small, seed 0."""

ROUNDS = 7
NO_LIMIT = 3600.0

IDS = 6870
PAGES = (9344 * 4, 292 * 4)
SEGMENTS = 181
"""DeepSeek-V4's launch that upstream measured: segments of 9,344 and 292 elements by turns."""


def run(tell: Callable[[str], None]) -> dict[str, object]:
    """Measure, and give the rows.

    Args:
        tell: told what is measured next.

    Raises:
        EngineError: if an engine does not pass what it is measured on.
    """
    tell(f"simulator: {CASES} cases, {ROUNDS} times")
    simulator = _rate("simulator", ROUNDS)
    tell(f"interpreter: the same {CASES} cases, once")
    interpreter = _rate("interpreter", 1)
    tell("simulator: one launch of 12.4 million programs over a virtual cache of 24 GB")
    return {
        "bench": "engines",
        "machine": machine(),
        "rows": [simulator, interpreter, _millions()],
        "speedup": round(float(simulator["cases_per_second"]) / float(interpreter["cases_per_second"]), 1),  # type: ignore[arg-type]
    }


def _rate(engine: str, rounds: int) -> dict[str, object]:
    """Cases a second of one process, drawing, poison, table and the comparison of every byte included."""
    request = messages.Batch(0, ("small",), 4, 0, CASES, NO_LIMIT, patience=NO_LIMIT)
    seconds = []
    with _crew(engine) as crew:
        crew.batch(request, _unexpected)  # compiles, and warms the caches
        for _ in range(rounds):
            begun = time.perf_counter()
            done = crew.batch(request, _unexpected)
            seconds.append(time.perf_counter() - begun)
            if done.counts.get("passed") != CASES:
                raise EngineError(f"engine={engine}: {done.counts} where {CASES} cases pass")
    return {
        "engine": engine,
        "cases": CASES,
        "rounds": rounds,
        "cases_per_second": round(CASES / median(seconds), 1),
        "fastest": round(CASES / min(seconds), 1),
        "slowest": round(CASES / max(seconds), 1),
    }


def _millions() -> dict[str, object]:
    case = large_case()
    with _crew("simulator") as crew:
        begun = time.perf_counter()
        verdict = crew.attempt(case, TARGET)
        seconds = time.perf_counter() - begun
    if verdict.outcome != "passed":
        raise EngineError(f"engine=simulator: {verdict.label()} where a large launch passes: {verdict.text}")
    chunks = -(-PAGES[0] // 4096)
    return {
        "engine": "simulator",
        "programs": IDS * SEGMENTS * chunks,
        "bytes": case.end,
        "bytes_cleared": case.volume,
        "seconds": round(seconds, 2),
    }


def large_case() -> Case:
    """Every block of a cache of 24 GB, but one."""
    segments, base = [], 0
    for number in range(SEGMENTS):
        page = PAGES[number % 2]
        segments.append(Segment(base, IDS + 1, page, page))
        base += page * (IDS + 1)
    guard = 2**16
    call = Call("zero", Ids.parse(f"0-{IDS - 1}"))
    return Case(schema=1, domain="contract", guard=guard, segments=tuple(segments), calls=(call,))


@contextmanager
def _crew(engine: str) -> Iterator[Crew]:
    with tempfile.TemporaryDirectory(prefix="kvzero-bench-") as folder:
        crew = Crew(messages.Open((TARGET,), engine, None, ""), Path(folder), standbys=0)
        try:
            crew.open()
            yield crew
        finally:
            crew.close()


def _unexpected(found: messages.Found) -> None:
    raise EngineError(f"{TARGET} is found {found.verdict.label()} on case {found.attempt}; a bench needs it right")
