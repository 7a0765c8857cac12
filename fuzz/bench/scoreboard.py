"""Finding power: how many cases each finder needs until a fault of the past, or a mutant, is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

from fuzz.bench.finders import FINDERS, FIXED, First, Stand
from fuzz.bench.finders.search import CASES
from fuzz.bench.machine import machine
from fuzz.bench.pool import Pool
from fuzz.bench.scoreboard_rows import UNCOMPILABLE
from fuzz.bench.subjects import Subject, by_operator, ruled_equivalent, specimens_here
from fuzz.bench.weights import weighed
from fuzz.case import Case
from fuzz.verdict import Verdict

QUICK_MUTANTS = 2
"""Mutants of each operator in a quick run."""

QUICK_SEED = 0
CUDA_PROFILE = "h200"
EQUAL_CASES = 10_000
"""Cases on which an equivalent mutant must leave every byte as its original does."""

Row = dict[str, object]
Tell = Callable[[str], None]


class Bench:
    """Runs finders on subjects, each in turn in one worker that is kept, the originals in another.

    Args:
        engine: engine by name, or None for the best there is.
        most: cases after which a run is given up.
    """

    def __init__(self, engine: str | None, most: int = CASES) -> None:
        self._engine = engine
        self._most = most
        self._pool, self._others = Pool(), Pool()

    def rows(self, subject: Subject, finders: tuple[str, ...], seeds: tuple[int, ...]) -> Iterator[Row]:
        """One row for each finder and seed; what is fixed is run once."""
        with self._stand(subject) as stand:
            for name in finders:
                for seed in seeds[:1] if name in FIXED else seeds:
                    yield _row(subject, name, seed, FINDERS[name](stand, seed, self._most))

    def close(self) -> None:
        """End the workers."""
        self._pool.close()
        self._others.close()

    @contextmanager
    def _stand(self, subject: Subject) -> Iterator[Stand]:
        profile = subject.device_profile
        engine = self._engine if profile in (None, CUDA_PROFILE) else None  # only a simulator has other limits
        with ExitStack() as stack:
            crew = stack.enter_context(self._pool.crew((subject.target,), engine, profile))
            opened = crew.open()
            originals: dict[str, Callable[[Case], Verdict]] = {}

            def passes(original: str, case: Case) -> Verdict:
                if original not in originals:
                    other = stack.enter_context(self._others.crew((original,), engine, profile))
                    originals[original] = lambda one: weighed(other, one, original)
                return originals[original](case)

            yield Stand(subject, crew, opened.units[subject.target], passes)


def quick(tell: Tell, engine: str | None = None, workers: int = 2) -> dict[str, object]:
    """Each specimen that this machine can run and two mutants of each operator, our search alone, one seed."""
    gpu, device = has_gpu(engine)
    specimens, not_run = specimens_here(gpu=gpu)
    lots: list[list[Subject]] = [[one] for one in specimens]
    wanted: list[int] = [1] * len(lots)
    for subjects in by_operator().values():
        lots.append(subjects)
        wanted.append(QUICK_MUTANTS)

    def of(bench: Bench, lot: list[Subject], count: int) -> list[Row]:
        found: list[Row] = []
        for subject in lot:
            if len(found) == count:
                break
            tell(subject.name)
            found += [row for row in bench.rows(subject, ("ours",), (QUICK_SEED,)) if row["bucket"] != UNCOMPILABLE]
        return found

    rows = _shared(of, lots, wanted, engine, workers)
    return _report(rows, not_run, device, {"quick": True, "seeds": [QUICK_SEED], "cases": CASES})


def full(
    tell: Tell, subjects: list[Subject], finders: tuple[str, ...], seeds: tuple[int, ...], *,
    engine: str | None = None, most: int = CASES, workers: int = 2,
) -> dict[str, object]:  # fmt: skip
    """Every subject with every finder, several seeds."""
    gpu, device = has_gpu(engine)
    here = [one for one in subjects if gpu or not (one.specimen and one.specimen.needs_gpu)]
    not_run = [one.name for one in subjects if one not in here]

    def of(bench: Bench, lot: list[Subject], count: int) -> list[Row]:  # noqa: ARG001
        tell(lot[0].name)
        return list(bench.rows(lot[0], finders, seeds))

    rows = _shared(of, [[one] for one in here], [1] * len(here), engine, workers, most)
    return _report(rows, not_run, device, {"quick": False, "seeds": list(seeds), "cases": most})


def equivalents(tell: Tell, engine: str | None = None, workers: int = 2, most: int = EQUAL_CASES) -> dict[str, object]:
    """Each mutant that is ruled equivalent, on as many cases: whatever is found here is ruled wrongly."""
    report = full(tell, ruled_equivalent(), ("ours",), (QUICK_SEED,), engine=engine, most=most, workers=workers)
    found = [row["name"] for row in report["rows"] if row["found"]]  # type: ignore[attr-defined]
    return report | {"missed": [], "wrongly_ruled": found}


def has_gpu(engine: str | None) -> tuple[bool, str]:
    """Whether cases run on a GPU, and the device in words."""
    pool = Pool()
    try:
        with pool.crew(("masked_grid",), engine, None) as crew:
            opened = crew.open()
            return opened.gpus > 0, opened.device
    finally:
        pool.close()


def _shared(
    of: Callable[[Bench, list[Subject], int], list[Row]],
    lots: list[list[Subject]],
    wanted: list[int],
    engine: str | None,
    workers: int,
    most: int = CASES,
) -> list[Row]:
    """Lots spread over benches; rows in the order of the lots."""
    benches = [Bench(engine, most) for _ in range(workers)]
    try:
        with ThreadPoolExecutor(workers) as threads:
            free = list(benches)

            def work(lot: list[Subject], count: int) -> list[Row]:
                bench = free.pop()
                try:
                    return of(bench, lot, count)
                finally:
                    free.append(bench)

            return [row for rows in threads.map(work, lots, wanted) for row in rows]
    finally:
        for bench in benches:
            bench.close()


def _row(subject: Subject, finder: str, seed: int, first: First) -> Row:
    row: Row = {
        "kind": subject.kind,
        "name": subject.name,
        "finder": finder,
        "seed": seed,
        "found": bool(first.label),
        "cases": first.cases,
        "seconds": round(first.seconds, 3),
        "bucket": first.label,
    }
    if subject.specimen:
        expected = first.label in subject.specimen.buckets
        return row | {"reached": first.reached, "triggered": first.triggered, "expected": expected}
    return row | {"operator": subject.operator} if subject.operator else row


def _report(rows: list[Row], not_run: list[str], device: str, told: dict[str, object]) -> dict[str, object]:
    ours = [row for row in rows if row["finder"] == "ours" and row["bucket"] != UNCOMPILABLE]
    names = dict.fromkeys(row["name"] for row in ours)
    missed = [name for name in names if not any(row["found"] for row in ours if row["name"] == name)]
    sometimes = dict.fromkeys(row["name"] for row in ours if not row["found"] and row["name"] not in missed)
    return {
        "bench": "finders",
        "machine": machine() | {"device": device},
        **told,
        "rows": rows,
        "missed": missed,
        "sometimes_missed": list(sometimes),
        "not_run": not_run,
    }
