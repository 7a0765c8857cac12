"""A baseline: the same loop driven by Hypothesis, as a property test would be written.

Hypothesis leans to other numbers than the search does, so its cases weigh something else; a row says what.
"""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, seed, settings

from fuzz.bench.case_set import PROFILE, SEED, UNIT
from fuzz.bench.naive import Loop
from fuzz.case import Case
from fuzz.errors import EngineError
from fuzz.shrink.numbers import cases as drawn_by_hypothesis


def examples(loop: Loop, cases: int) -> int:
    """Check ``cases`` examples, the same each time; their bytes.

    Raises:
        EngineError: if one is not right, or Hypothesis runs another number of them.
    """
    sizes: list[int] = []

    @seed(SEED)
    @settings(
        max_examples=cases,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(drawn_by_hypothesis(PROFILE, UNIT))
    def every_byte_is_right(case: Case) -> None:
        sizes.append(loop.check(case))

    every_byte_is_right()
    if len(sizes) != cases:
        raise EngineError(f"cases={cases}: Hypothesis ran {len(sizes)} examples")
    return sum(sizes)
