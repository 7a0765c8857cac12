"""Mutants are what they say: one place each, names that stay, targets that a worker can load."""

from __future__ import annotations

import ast
import difflib
from collections import Counter

import pytest
from msgspec.structs import replace

from fuzz.bench.mutants.equivalents import EQUIVALENT, UNTOLD
from fuzz.bench.mutants.making import Mutant, every, mutants
from fuzz.bench.mutants.operators import OPERATORS
from fuzz.bench.mutants.sources import SOURCES
from fuzz.bench.scoreboard_rows import UNCOMPILABLE
from fuzz.bench.specimens.models import table_case
from fuzz.case import Segment
from fuzz.errors import UsageError
from fuzz.loading import load
from fuzz.supervisor import crew_of

MOST_EQUIVALENT = 0.1
KILLED = {
    "masked_grid/mask-dropped/1": "clobbered:padding",
    "masked_grid/store-value/1": "wrong:head",
    "masked_grid/address-off/1": "faulted:misaligned",
    "block_stride/end-skipped/4": "stale:whole page",
}
CASE = table_case(Segment(0, 4, 12, 24), ids="0-3")


@pytest.mark.parametrize("source", SOURCES)
def test_a_mutant_changes_one_place(source: str) -> None:
    """Its text is the source with one stretch replaced, it parses, and it differs in what it does not only in looks."""
    text = SOURCES[source].text
    for mutant in mutants(source).values():
        matcher = difflib.SequenceMatcher(a=text.splitlines(), b=mutant.text.splitlines(), autojunk=False)
        changed = [code for code in matcher.get_opcodes() if code[0] != "equal"]
        assert changed
        assert ast.dump(ast.parse(mutant.text)) != ast.dump(ast.parse(text))
        start = next(i for i, (a, b) in enumerate(zip(text, mutant.text, strict=False)) if a != b)
        tail = next(i for i, (a, b) in enumerate(zip(text[::-1], mutant.text[::-1], strict=False)) if a != b)
        assert text[:start] == mutant.text[:start]
        assert len(text) - tail - start <= len(mutant.before)


def test_names_do_not_move_with_lines() -> None:
    """Comments and blank lines above do not rename a mutant: its name counts places, not lines."""
    names = list(mutants("masked_grid"))
    assert len(names) == len(set(names))
    assert names[0] == "masked_grid/compare-off-by-one/1"
    assert all(name.split("/")[:2] == ["masked_grid", one.operator] for name, one in mutants("masked_grid").items())


def test_there_are_enough_of_them() -> None:
    """Thirteen operators, five mutants each and more, and at most a tenth ruled equivalent, each with its proof."""
    counts = Counter(mutant.operator for mutant in every().values())
    assert counts.keys() == OPERATORS.keys()
    assert len(OPERATORS) == 13
    assert min(counts.values()) >= 5
    assert set(EQUIVALENT) <= set(every())
    assert all(len(ruling.proof.split()) > 8 for ruling in EQUIVALENT.values())
    assert len(EQUIVALENT) <= MOST_EQUIVALENT * len(every())


def test_a_ruling_is_of_the_line_that_it_names() -> None:
    """A source that was edited counts its mutants anew, and no proof must move to another one."""
    rulings = EQUIVALENT | UNTOLD
    assert {name: every()[name].line for name in rulings} == {name: ruling.line for name, ruling in rulings.items()}


def test_a_worker_loads_a_mutant_by_its_name() -> None:
    """The locator that a row has is one that every verb takes; a name that is none is refused."""
    crew = crew_of(tuple(f"fuzz.bench.mutants:{name}" for name in KILLED), "simulator")
    with crew as one:
        found = {name: one.attempt(CASE, f"fuzz.bench.mutants:{name}").label() for name in KILLED}
    assert found == KILLED
    with pytest.raises(UsageError, match="has no masked_grid/mask-dropped/99"):
        load("fuzz.bench.mutants:masked_grid/mask-dropped/99")


def test_a_warm_up_that_does_not_compile_is_no_fault_of_the_constructor() -> None:
    """It has the name of what does not compile, whether a warm-up meets that or the first call."""
    target = "fuzz.bench.mutants:masked_grid/constant-off/1"
    with crew_of((target,), "simulator") as crew:
        assert [crew.attempt(replace(CASE, cold=cold), target).label() for cold in (False, True)] == [UNCOMPILABLE] * 2


def unchanged(table, device):
    """The source as it stands, loaded as a mutant is."""
    from fuzz.bench.mutants.loading import zeroer_of

    original = Mutant("masked_grid/none/0", "masked_grid", "none", "", "", SOURCES["masked_grid"].text)
    return zeroer_of(original)(table, device)


def test_a_source_without_a_change_is_right() -> None:
    """The same loading, of the text as it stands, passes, warmed up: what a mutant shows is the mutation's doing."""
    target = f"{__file__}:unchanged"
    with crew_of((target,), "simulator") as crew:
        tried = crew.tried(CASE, target)
    assert (tried.verdict.outcome, tried.warmup) == ("passed", True)
