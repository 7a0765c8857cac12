"""Finders: what each draws, when a find counts, and the scoreboard that comes of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fuzz.bench import scoreboard
from fuzz.bench.finders import FINDERS
from fuzz.bench.finders.by_static import layouts, tables
from fuzz.bench.finders.by_uniform import Uniform
from fuzz.bench.pool import Pool
from fuzz.bench.scoreboard import Bench
from fuzz.bench.scoreboard_page import write
from fuzz.bench.scoreboard_rows import UNCOMPILABLE
from fuzz.bench.scoreboard_words import rivals, words
from fuzz.bench.specimens import BY_NAME
from fuzz.bench.specimens.models import table_case
from fuzz.bench.subjects import Subject, by_operator, named, of_specimen
from fuzz.built_in import GENERATIONS
from fuzz.case import Segment
from fuzz.corpus import KEPT, entries, shipped
from fuzz.errors import UsageError
from fuzz.rules import broken_rule
from fuzz.verdict import Verdict
from tests.conftest import planted

MOST = 40


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """A bench that gives up after forty cases."""
    made = Bench("simulator", MOST)
    yield made
    made.close()


def test_every_finder_finds_a_common_fault_and_none_finds_none(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page as wide as its stride is found by whoever draws padding; the same rows say so of a right kernel."""
    rows = list(bench.rows(of_specimen(BY_NAME["span-of-a-stride"]), tuple(FINDERS), (3,)))
    assert [(row["finder"], row["found"]) for row in rows] == [(name, True) for name in FINDERS]
    assert all(row["reached"] and row["triggered"] for row in rows)
    monkeypatch.setattr("fuzz.profiles.exhaustive.size", lambda unit: 2 * MOST)
    right = Subject("mutant", "right", planted("right"), ("small",), original="masked_grid")
    rows = list(bench.rows(right, tuple(FINDERS), (3,)))
    assert [(row["found"], row["bucket"]) for row in rows] == [(False, "")] * len(FINDERS)
    cases = {row["finder"]: row["cases"] for row in rows}
    assert [cases[name] for name in ("ours", "uniform", "exhaustive")] == [MOST, MOST, 2 * MOST]


def test_static_inputs_miss_a_launch_that_nobody_wrote_down(bench: Bench) -> None:
    """Upstream's fixed inputs never have 65,536 ids: the fault is reached and not triggered."""
    (row,) = bench.rows(of_specimen(BY_NAME["ids-on-z"]), ("static",), (0, 1, 2))
    assert (row["found"], row["reached"], row["triggered"]) == (False, True, False)


def test_what_draws_nothing_is_run_once_on_what_it_has(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The enumeration has no layouts; the corpus has some, and its tables are not tried on what takes a layout."""
    monkeypatch.setattr("fuzz.profiles.exhaustive.size", lambda unit: {4: 2 * MOST}[unit])
    rows = list(bench.rows(of_specimen(BY_NAME["block-stride-for-page"]), ("exhaustive", "corpus"), (0, 1, 2)))
    assert [(row["finder"], row["found"]) for row in rows] == [("exhaustive", False), ("corpus", True)]
    assert rows[0]["cases"] == 0
    (row,) = bench.rows(
        Subject("mutant", "byte", "chunk_list", ("small",), original="chunk_list"), ("exhaustive",), (0,)
    )
    assert (row["found"], row["cases"]) == (False, 2 * MOST)
    assert rows[1]["cases"] <= sum(bool(entry.case.layers) for entry in entries(shipped(), KEPT))


def test_a_find_that_the_original_shows_too_does_not_count() -> None:
    """A mutant of a kernel with a fault of its own is not found by that fault."""
    subject = Subject("mutant", "x", "x", ("small",), original="block_stride")
    find, fine = Verdict("finding", "rejected", "launch-x"), Verdict("passed")
    case = BY_NAME["flat-grid"].smallest
    assert not subject.counts(case, find, lambda name, one: find)
    assert subject.counts(case, find, lambda name, one: fine)
    assert not subject.counts(case, fine, lambda name, one: fine)


def test_a_find_that_a_specimen_does_not_explain_is_not_its_own(bench: Bench) -> None:
    """The corpus has a page that the kernel below a specimen cannot launch either; its own fault comes later."""
    (row,) = bench.rows(of_specimen(BY_NAME["one-id-otherwise"]), ("corpus",), (0,))
    assert row["bucket"] != "rejected:launch-z"
    assert row["found"] == row["triggered"]


def test_a_worker_that_dies_is_not_kept() -> None:
    """After a target ends its process the next target has another, and is judged by itself alone."""
    pool = Pool()
    try:
        with pool.crew((planted("null_pointer"),), "interpreter", None) as crew:
            six = table_case(*(Segment(number * 4, 1, 4, 4) for number in range(6)))
            assert crew.attempt(six, planted("null_pointer")).label() == "faulted:memory"
            assert crew._active is None
        with pool.crew((planted("lazy"),), "interpreter", None) as crew:
            assert crew.attempt(BY_NAME["span-of-a-stride"].smallest, planted("lazy")).label() == "skipped:none"
    finally:
        pool.close()


def test_the_static_suite_is_legal_and_as_large_as_upstreams() -> None:
    """Its cases break no rule; the large launch is the one of 6,870 ids and 181 segments."""
    suite = [*tables(), *layouts()]
    assert [broken_rule(case) for case in suite] == [None] * len(suite)
    large = list(tables())[-1]
    assert (len(large.segments), len(large.calls[0].ids)) == (181, 6870)
    assert next(layouts()).placed.places[1].offset == 37_440


def test_an_even_source_leans_to_nothing() -> None:
    """A tenth of the draws lie in each tenth of a range, boundaries included."""
    source = Uniform(0)
    drawn = [source.integer(0, 2**17) for _ in range(4000)]
    tenths = [sum(one * 10 // 2**17 == tenth for one in drawn) for tenth in range(10)]
    assert max(tenths) < 480
    assert min(tenths) > 320


def test_each_fault_of_a_generation_is_a_subject_of_its_own(bench: Bench) -> None:
    """Of several that one kernel shows only the named one counts."""
    (subject,) = named(["ids_on_z skipped"])
    rejected, skipped = Verdict("finding", "rejected", "launch-z"), Verdict("finding", "skipped", "product")
    assert not subject.counts(BY_NAME["ids-on-z"].smallest, rejected, lambda name, one: rejected)
    assert subject.counts(BY_NAME["ids-on-z"].smallest, skipped, lambda name, one: skipped)
    (row,) = bench.rows(subject, ("corpus",), (0,))
    assert (row["kind"], row["bucket"]) == ("generation", "skipped:product")
    assert {one.target for one in named(["generation"])} == set(GENERATIONS) - {"chunk_list"}


def test_quick_has_two_mutants_of_each_operator() -> None:
    """Each operator has at least two that are not ruled equivalent."""
    assert min(map(len, by_operator().values())) >= 2
    with pytest.raises(UsageError, match="subject='nothing'"):
        named(["nothing"])
    assert [one.name for one in named(["masked_grid/mask-dropped/1"])] == ["masked_grid/mask-dropped/1"]


def test_an_equivalent_that_is_found_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mutant that is ruled equivalent, and is not, comes up in the check; one that is does not."""
    ruled = named(["masked_grid/mask-dropped/1", "masked_grid/compare-off-by-one/1"])
    monkeypatch.setattr(scoreboard, "ruled_equivalent", lambda: ruled)
    report = scoreboard.equivalents(lambda words: None, "simulator", workers=1, most=10)
    assert report["wrongly_ruled"] == ["masked_grid/mask-dropped/1"]
    assert [row["cases"] for row in report["rows"] if not row["found"]] == [10]


def test_what_ours_does_not_find_is_missed() -> None:
    """A subject without a find of ours is named, whatever others found; one that does not compile is no subject."""
    rows = [
        {"name": name, "finder": finder, "found": found, "bucket": bucket}
        for name, finder, found, bucket in [
            ("a", "ours", True, "x"), ("b", "ours", False, ""), ("b", "given", True, "x"),
            ("c", "ours", True, UNCOMPILABLE),
        ]
    ]  # fmt: skip
    assert scoreboard._report(rows, [], "CPU", {})["missed"] == ["b"]


def test_the_page_says_where_ours_is_behind_and_who_is_alone() -> None:
    """Ours needs twice as many cases of one fault; one is found by the enumeration alone, and ours had triggered it."""
    rows = [
        _row("a", finder, seed, cases + seed) for finder, cases in (("ours", 90), ("uniform", 40)) for seed in range(9)
    ]
    rows += [_row("b", finder, seed, 0) for finder in ("ours", "uniform") for seed in range(9)]
    rows.append(_row("b", "exhaustive", 0, 5000))
    report = {"rows": rows, "seeds": list(range(9)), "cases": 1000}
    others = rivals(report, "specimen")
    said = words(report, "specimen", others)
    assert "Ours beside uniform, p below 0.05: ahead on none; behind on a." in said
    assert "Found by exhaustive alone: b." in said
    assert "Found by ours alone: none." in said
    assert said[-4].startswith("Triggered in a run of ours and not detected: b with seed 0, b with seed 1, ")
    assert said[-2] == "Finds in a bucket that the specimen names: 18 of 19."
    assert others["uniform"]["b"] == (0.5, 1)


def _row(name: str, finder: str, seed: int, cases: int) -> dict[str, object]:
    """A run that found it after so many cases, or never; the enumeration finds it in another bucket."""
    return {
        "kind": "specimen", "name": name, "finder": finder, "seed": seed, "found": bool(cases),
        "cases": cases or 1000, "bucket": "x" if cases else "", "triggered": True, "expected": finder != "exhaustive",
    }  # fmt: skip


def test_the_page_says_who_found_what(bench: Bench, tmp_path: Path) -> None:
    """Tables and curves are written from the rows, and the JSON holds the rows themselves."""
    rows = list(bench.rows(of_specimen(BY_NAME["steps-by-a-page"]), ("ours", "static"), (0, 1)))
    report = {
        "bench": "finders", "machine": {"device": "CPU", "processor": "p", "cores": 2, "python": "3", "torch": "2",
        "triton": "3"}, "seeds": [0, 1], "cases": MOST, "rows": rows, "missed": [], "not_run": ["unwaited-stream"],
    }  # fmt: skip
    paths = write(report, tmp_path)
    assert [path.name for path in paths] == ["scoreboard.json", "scoreboard.md", "specimens.svg"]
    page = (tmp_path / "scoreboard.md").read_text()
    assert "| ours | 2 | 2 | 2 | 2 |" in page
    assert "| 2 of 2, 1 | 1 of 1, 8 |" in page
    assert "need a GPU: unwaited-stream" in page
    assert json.loads((tmp_path / "scoreboard.json").read_text())["rows"] == rows
    assert (tmp_path / "specimens.svg").read_text().count("<polyline") == 2


def test_the_verb_prints_rows(kvzero: Callable, tmp_path: Path) -> None:
    """A specimen by name, two finders, as JSON, and the page written where it was asked for."""
    run = kvzero(
        "bench", "finders", "--subject", "whole-chunks-only", "--finder", "ours", "--finder", "uniform", "--seeds", "2",
        "--cases", "30", "--engine", "simulator", "--workers", "1", "--out", "board", "--json",
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert [(row["finder"], row["seed"]) for row in report["rows"]] == [
        ("ours", 0), ("ours", 1), ("uniform", 0), ("uniform", 1),
    ]  # fmt: skip
    assert (report["missed"], report["not_run"], report["bench"]) == ([], [], "finders")
    assert (tmp_path / "board" / "scoreboard.md").is_file()
    wrong = kvzero("bench", "finders", "--finder", "nobody")
    assert wrong.returncode == 2
    assert "finder='nobody'" in wrong.stderr
