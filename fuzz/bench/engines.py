"""The simulator beside the interpreter: small cases a second, and one launch of millions of programs."""

from __future__ import annotations

import time
from collections.abc import Callable

from fuzz.bench.case_set import CASES
from fuzz.bench.crews import timed
from fuzz.bench.figures import rates
from fuzz.bench.machine import machine
from fuzz.case import Call, Case, Segment
from fuzz.errors import EngineError
from fuzz.ids import Ids
from fuzz.supervisor import crew_of

TARGET = "masked_grid"
ROUNDS = 7

IDS = 6870
PAGES = (9344 * 4, 292 * 4)
SEGMENTS = 181
"""DeepSeek-V4's launch that upstream measured: segments of 9,344 and 292 elements by turns."""


def run(tell: Callable[[str], None], cases: int = CASES) -> dict[str, object]:
    """Measure, and give the rows.

    Args:
        tell: told what is measured next.
        cases: how many of the fixed set.

    Raises:
        EngineError: if an engine does not pass what it is measured on.
    """
    tell(f"simulator: {cases} cases, {ROUNDS} times")
    simulator = _rate("simulator", cases, ROUNDS)
    tell(f"interpreter: the same {cases} cases, once")
    interpreter = _rate("interpreter", cases, 1)
    tell("simulator: one launch of 12.4 million programs over a virtual cache of 24 GB")
    return {
        "bench": "engines",
        "machine": machine(),
        "rows": [simulator, interpreter, _millions()],
        "speedup": round(float(simulator["cases_per_second"]) / float(interpreter["cases_per_second"]), 1),  # type: ignore[arg-type]
    }


def _rate(engine: str, cases: int, rounds: int) -> dict[str, object]:
    """Cases a second of one process, drawing, poison, table and the comparison of every byte included."""
    with crew_of((TARGET,), engine) as crew:
        timed(crew, cases)  # compiles, and warms the caches
        seconds = [timed(crew, cases)[0] for _ in range(rounds)]
    return {"engine": engine, **rates(cases, seconds)}


def _millions() -> dict[str, object]:
    case = large_case()
    with crew_of((TARGET,), "simulator") as crew:
        crew.open()
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
