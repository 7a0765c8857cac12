"""Cases a second of the search, beside a naive loop and Hypothesis on the same target, in one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from msgspec.structs import replace

from fuzz.bench import case_set
from fuzz.bench.baseline_process import Baselines, baselines
from fuzz.bench.crews import timed
from fuzz.bench.figures import rates
from fuzz.bench.machine import machine
from fuzz.bench.together import seconds_together
from fuzz.devices import usual_workers
from fuzz.errors import UsageError
from fuzz.supervisor import Crew, crew_of

ROUNDS = 7
PASSES = 5
"""Times that a round runs the set, where that takes a fraction of a second; the loop under Hypothesis runs it once."""


def run(
    tell: Callable[[str], None],
    *,
    target: str,
    engine: str | None = None,
    cases: int = case_set.CASES,
    rounds: int = ROUNDS,
    workers: int | None = None,
) -> dict[str, object]:
    """Measure, and give the rows.

    Args:
        tell: told what is measured next.
        target: what the cases run on; every driver must find it right.
        engine: an engine by name, or None for the best there is.
        cases: how many of the fixed set.
        rounds: how often each driver is measured, by turns.
        workers: processes of the last row, or None for as many as a search has on one GPU.

    Raises:
        EngineError: if the cases are too light, or the target is found wrong.
        UsageError: if the target takes no table.
    """
    weights = case_set.means(case_set.case_set(cases))
    with crew_of((target,), engine) as crew:
        opened = crew.open()
        if opened.takes[target] != "table":
            raise UsageError(f"target={target!r}: takes a {opened.takes[target]}; the cases of this bench are tables")
        timed(crew, cases)  # compiles, and refuses a wrong target
        with baselines(target, opened.engine) as others:
            tell(f"{opened.engine} on {opened.device}: {cases} cases, three drivers by turns, {rounds} times")
            rows = by_turns(crew, others, cases, rounds)
    count = workers or usual_workers(replace(opened, gpus=1))  # those of this bench are all on the first
    tell(f"{count} processes together, {rounds} times")
    seconds = seconds_together(target, opened.engine, count, cases, PASSES, rounds)
    rows.append({"driver": "campaign together", "processes": count, **rates(count * PASSES * cases, seconds)})
    naive, given, one, together = (float(row["cases_per_second"]) for row in rows)  # type: ignore[arg-type]
    return {
        "bench": "fuzzer",
        "machine": machine() | {"device": opened.device},
        "engine": opened.engine,
        "target": target,
        "cases": {"count": cases, **weights},
        "rows": rows,
        "speedup": round(one / naive, 2),
        "speedup_given": round(one / given, 2),
        "speedup_all": round(together / naive, 2),
        "speedup_all_given": round(together / given, 2),
    }


def by_turns(crew: Crew, others: Baselines, cases: int, rounds: int) -> list[dict[str, object]]:
    """Rows of the naive loop, the loop under Hypothesis and the search in one process, which is warm already."""
    many = PASSES * cases
    for driver in ("naive", "given"):
        others.timed(driver, cases)  # compiles, and warms the caches
    naive, given, campaign = [], [], []
    spent: Counter[str] = Counter()
    weight = 0.0
    for _ in range(rounds):
        naive.append(sum(others.timed("naive", cases)[0] for _ in range(PASSES)))
        seconds, weight = others.timed("given", cases)
        given.append(seconds)
        batches = [timed(crew, cases) for _ in range(PASSES)]
        campaign.append(sum(seconds for seconds, _ in batches))
        for _, done in batches:
            spent.update(done.seconds)
    shares = {part: round(seconds / sum(campaign), 3) for part, seconds in spent.items()}
    return [
        {"driver": "naive", "processes": 1, **rates(many, naive)},
        {"driver": "given", "processes": 1, **rates(cases, given), "mean_bytes": round(weight)},
        {"driver": "campaign", "processes": 1, **rates(many, campaign), "shares": shares},
    ]
