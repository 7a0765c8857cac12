"""The fixed case set that cases a second are counted on, and how heavy it has to be."""

from __future__ import annotations

from statistics import fmean

import numpy as np

from fuzz.build import numbered
from fuzz.case import Case
from fuzz.errors import EngineError
from fuzz.layout import effects_of, total

PROFILE = "small"
SEED = 0
UNIT = 4
CASES = 200
"""The fixed case set: the first so many of profile small, seed 0."""

LEAST = {"bytes": 100_000, "segments": 4, "ids": 8, "targeted": 0.35}
"""What the set must have on average: a rate on light cases says nothing."""


def case_set(cases: int, profile: str = PROFILE) -> list[Case]:
    """The first ``cases`` of the set, as the search draws them."""
    return [numbered(SEED, index, (profile,), UNIT)[0] for index in range(cases)]


def means(cases: list[Case]) -> dict[str, float]:
    """Bytes of the image, segments, ids over all calls and the share of targeted bytes, averages over the cases.

    Raises:
        EngineError: if the cases are too light to measure anything on.
    """
    found = {
        "bytes": round(fmean(map(total, cases))),
        "segments": round(fmean(sum(s.times for s in case.segments) for case in cases), 2),
        "ids": round(fmean(sum(len(call.ids) for call in case.calls) for case in cases), 2),
        "targeted": round(fmean(targeted(case) / total(case) for case in cases), 3),
    }
    for name, least in LEAST.items():
        if found[name] < least:
            raise EngineError(
                f"cases={len(cases)}: their mean of {name} is {found[name]:g}, at least {least:g} is needed; "
                f"the first {CASES} of profile {PROFILE} have it"
            )
    return found


def targeted(case: Case) -> int:
    """Bytes that all calls together must clear, each counted once."""
    ids = np.unique(np.concatenate([call.ids.distinct() for call in case.calls]))
    must = effects_of(case, ids).must
    return int((must[:, 1] - must[:, 0]).sum())
