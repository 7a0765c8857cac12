"""The same profiles under Hypothesis, as a property test would draw them."""

from __future__ import annotations

import time
from contextlib import suppress

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

from fuzz.bench.finders.search import First, Stand, first
from fuzz.bench.weights import weighed
from fuzz.case import Case
from fuzz.shrink.numbers import cases as drawn_by_hypothesis


class RefutedError(AssertionError):
    """A case is not right: the property is refuted."""


def find(stand: Stand, seed: int, most: int) -> First:
    """Examples until one refutes the property; Hypothesis may know after fewer that it has drawn all there are."""
    begun = time.perf_counter()
    seen: list[Case] = []
    label: list[str] = []
    profiles = [drawn_by_hypothesis(profile, stand.unit) for profile in stand.subject.profiles]

    @seeded(seed)
    @settings(
        max_examples=most,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.one_of(profiles))
    def every_byte_is_right(case: Case) -> None:
        if not label:  # it runs what it found once more
            seen.append(case)
            verdict = weighed(stand.crew, case, stand.subject.target)
            if not stand.subject.counts(case, verdict, stand.passes):
                return
            label.append(verdict.label())
        raise RefutedError

    with suppress(RefutedError):
        every_byte_is_right()
    return first(stand, seen, len(seen), time.perf_counter() - begun, label[0] if label else "")
