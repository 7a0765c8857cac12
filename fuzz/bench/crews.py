"""The tool itself as it is measured: a crew, and batches that must pass."""

from __future__ import annotations

import time

from fuzz import messages
from fuzz.bench.case_set import PROFILE, SEED, UNIT
from fuzz.errors import EngineError
from fuzz.supervisor import Crew

NO_LIMIT = 3600.0
"""Seconds of a batch, and of a launch in it: none is ended by time."""


def timed(crew: Crew, cases: int) -> tuple[float, messages.BatchDone]:
    """Seconds that the first cases of the fixed set take, drawing and comparing every byte included.

    Raises:
        EngineError: if one of them does not pass.
    """
    request = messages.Batch(SEED, (PROFILE,), UNIT, 0, cases, NO_LIMIT, patience=NO_LIMIT)
    begun = time.perf_counter()
    done = crew.batch(request, _unexpected)
    seconds = time.perf_counter() - begun
    if done.counts.get("passed") != cases:
        raise EngineError(f"outcomes {done.counts} where {cases} cases have to pass; {done.trouble}".rstrip("; "))
    return seconds, done


def _unexpected(found: messages.Found) -> None:
    raise EngineError(
        f"target={found.target}: is found {found.verdict.label()} on case {found.attempt}; a bench needs it right"
    )
