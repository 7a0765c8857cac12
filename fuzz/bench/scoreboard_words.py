"""What the rows come to, in sentences: who is alone with a find, where ours is behind, what slipped through."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fuzz.bench.beside import Beside, beside
from fuzz.bench.scoreboard_rows import Row, counted, runs_of

OURS = "ours"
DRAWN = ("uniform", "given")
"""Finders that ours is held against, run by run."""

BY_CHANCE = 0.05
"""From this share on a difference is left to chance. It is taken for each subject alone: of many that are equal
one in twenty then looks behind, which errs against us."""


Rivals = dict[str, dict[str, Beside]]
"""Ours beside each other finder, by subject; a large A12 speaks for ours."""


def rivals(report: dict[str, Any], kind: str) -> Rivals:
    """Ours beside those that it was run beside with several seeds."""
    rows = counted(report, kind)
    names, finders = dict.fromkeys(row["name"] for row in rows), {row["finder"] for row in rows}
    drawn = [name for name in DRAWN if {OURS, name} <= finders and len(report["seeds"]) > 1]

    def cases(name: str, finder: str) -> list[int]:
        mine = [row for row in rows if (row["name"], row["finder"]) == (name, finder)]
        return [run.cases for run in runs_of(mine, report["cases"])]

    return {rival: {name: beside(cases(name, OURS), cases(name, rival)) for name in names} for rival in drawn}


def words(report: dict[str, Any], kind: str, others: Rivals) -> list[str]:
    """A sentence a line, with an empty line after each."""
    rows = counted(report, kind)
    found = [row for row in rows if row["found"]]
    told = []
    for rival, held in others.items():
        behind = [name for name, it in held.items() if it.a12 < 0.5 and it.p < BY_CHANCE]
        ahead = [name for name, it in held.items() if it.a12 > 0.5 and it.p < BY_CHANCE]
        told.append(f"Ours beside {rival}, p below {BY_CHANCE}: ahead on {_list(ahead)}; behind on {_list(behind)}.")
    finders = list(dict.fromkeys(row["finder"] for row in rows))
    for finder in finders if len(finders) > 1 else ():
        elsewhere = {row["name"] for row in found if row["finder"] != finder}
        alone = dict.fromkeys(row["name"] for row in found if row["finder"] == finder and row["name"] not in elsewhere)
        told.append(f"Found by {finder} alone: {_list(alone)}.")
    if kind == "specimen":
        slipped = [_run(row) for row in rows if row["finder"] == OURS and row["triggered"] and not row["found"]]
        told.append(f"Triggered in a run of ours and not detected: {_list(slipped)}.")
        told.append(
            f"Finds in a bucket that the specimen names: {sum(row['expected'] for row in found)} of {len(found)}."
        )
    return [line for sentence in told for line in (sentence, "")]


def _run(row: Row) -> str:
    return f"{row['name']} with seed {row['seed']}"


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
