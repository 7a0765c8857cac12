"""The historical faults: each shows where it must, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from fuzz.bench.specimens import BY_NAME, HISTORY, SPECIMENS, Specimen
from fuzz.bench.weights import weighed
from fuzz.build import numbered
from fuzz.case import Case
from fuzz.profiles import DEFAULT
from fuzz.rules import broken_rule
from fuzz.supervisor import Crew, crew_of
from tests.conftest import ROOT

CASES = 200
SEED = 11
UNIT = 4

HERE = [specimen for specimen in SPECIMENS if not specimen.needs_gpu]
PROFILES = sorted({specimen.device_profile for specimen in HERE})


@pytest.fixture(scope="module")
def crews() -> Iterator[dict[str, Crew]]:
    """A worker for each device profile, with all specimens of it and what must pass their cases."""
    made = {}
    opened = []
    for profile in PROFILES:
        names = {name for one in HERE if one.device_profile == profile for name in (one.target, one.right)}
        crew = crew_of(tuple(sorted(names)), "simulator", profile)
        opened.append(crew)
        made[profile] = crew.__enter__()
    yield made
    for crew in opened:
        crew.__exit__(None, None, None)


def _drawn(specimen: Specimen) -> Iterator[Case]:
    """As the search draws them; every other one warm where the fault is one of warming up, instead of one in 16."""
    for index in range(CASES):
        case = numbered(SEED, index, specimen.profiles or DEFAULT, UNIT)[0]
        yield replace(case, cold=bool(index % 2)) if specimen.buckets[0].startswith("recompiled") else case


def test_every_fault_of_history_is_a_specimen_or_says_why_not() -> None:
    """No fault is counted twice, none is left out without a reason, and three need a GPU."""
    stands_for = sorted(row for specimen in SPECIMENS for row in specimen.rows)
    assert stands_for == [row for row, (_, reason) in HISTORY.items() if not reason]
    assert (len(HISTORY), len(stands_for), len(SPECIMENS)) == (51, 36, 35)
    assert {one.name for one in SPECIMENS if one.needs_gpu} == {
        "one-pinned-buffer", "two-pinned-buffers", "unwaited-stream",
    }  # fmt: skip
    assert len(BY_NAME) == len(SPECIMENS)


def test_the_page_of_the_scoreboard_has_every_fault() -> None:
    """Each report stands in the documented denominator, with its specimen or the reason why there is none."""
    page = (ROOT / "docs" / "scoreboard" / "README.md").read_text()
    names = {row: one.name for one in SPECIMENS for row in one.rows}
    for row, (report, reason) in HISTORY.items():
        assert f"| {row} | {report} | {reason or f'`{names[row]}`'} |" in page


@pytest.mark.parametrize("specimen", SPECIMENS, ids=lambda one: one.name)
def test_a_smallest_case_is_legal_and_triggers(specimen: Specimen) -> None:
    """It breaks no rule, and by arithmetic alone its image, launch or constructor must go wrong."""
    assert broken_rule(specimen.smallest) is None
    assert specimen.reached(specimen.smallest)
    assert specimen.triggered(specimen.smallest)


@pytest.mark.parametrize("specimen", HERE, ids=lambda one: one.name)
def test_a_smallest_case_shows_its_bucket(specimen: Specimen, crews: dict[str, Crew]) -> None:
    """It shows the first expected bucket, and a right target passes it."""
    crew = crews[specimen.device_profile]
    assert crew.attempt(specimen.smallest, specimen.target).label() == specimen.buckets[0]
    assert crew.attempt(specimen.smallest, specimen.right).outcome == "passed"


@pytest.mark.parametrize("name", [one.name for one in SPECIMENS if one.needs_gpu])
def test_a_fault_of_order_is_unproved_without_a_gpu(name: str) -> None:
    """The simulator makes calls one by one, so it says nothing of a case that needs two in flight."""
    specimen = BY_NAME[name]
    with crew_of((specimen.target, specimen.right), "simulator") as crew:
        assert crew.attempt(specimen.smallest, specimen.target).outcome == "unproved"
        assert crew.attempt(specimen.smallest, specimen.right).outcome == "unproved"


@pytest.mark.parametrize("specimen", HERE, ids=lambda one: one.name)
def test_what_is_triggered_is_what_is_detected(specimen: Specimen, crews: dict[str, Crew]) -> None:
    """On drawn cases a fault that must show is found, and nothing is found where none must."""
    found = proved = 0
    for case in _drawn(specimen):
        verdict = weighed(crews[specimen.device_profile], case, specimen.target)
        triggered = specimen.triggered(case)
        assert verdict.outcome != "infra", verdict.text
        if verdict.outcome in ("passed", "finding"):
            assert triggered == (verdict.outcome == "finding"), (case, verdict.label(), verdict.text)
            proved += 1
            found += triggered
        assert not triggered or specimen.reached(case)
    assert proved > CASES // 4
    assert found
