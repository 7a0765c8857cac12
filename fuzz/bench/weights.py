"""How a case is run where many thousands are, one at a time: large launches are judged by their grids alone."""

from __future__ import annotations

from fuzz.case import Case
from fuzz.supervisor import Crew
from fuzz.verdict import Verdict

HEAVY = 2**25
"""Bytes that a case clears, repeats included, from which on it is rehearsed: whatever its grid, a simulator then has
millions of programs to run. A search would leave most of these unproved, too."""


def weighed(crew: Crew, case: Case, target: str) -> Verdict:
    """The verdict of one case; of a heavy one only what its launches show, else it is unproved."""
    return crew.attempt(case, target, rehearse=case.volume > HEAVY)
