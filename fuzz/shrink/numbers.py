"""Step two: hand the numbers of a case to Hypothesis's shrinker.

A recorded find becomes Hypothesis's own by a replay: its choices are saved as an example in a
database in memory, and ``hypothesis.find`` starts from it. The choice encoding, the secondary
key and the thread's random numbers are private to Hypothesis; contract tests guard them. Under the
primary key an exact hit would count as shrunk already.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from random import Random

import hypothesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.core import threadlocal
from hypothesis.database import InMemoryExampleDatabase, choices_to_bytes
from hypothesis.errors import HypothesisException
from msgspec.structs import replace

from fuzz.build import build, trace
from fuzz.case import Case
from fuzz.profiles import BY_NAME
from fuzz.shrink.trial import Trial
from fuzz.source import Untraceable

KEY = b"kvzero"
SECONDARY = b".secondary"

SEED = 0
"""Of Hypothesis's own choices of what to try next: the same find is made smaller the same way every time."""


class _Drawn:
    """A source that Hypothesis steers: one integer strategy a draw."""

    def __init__(self, draw: Callable[..., int]) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        return low if low == high else self._draw(st.integers(low, high))

    repeat = integer


def cases(profile: str, unit: int) -> st.SearchStrategy[Case]:
    """All cases of a profile, as a strategy; it shrinks towards the smallest."""

    @st.composite
    def drawn(draw: Callable[..., int]) -> Case:
        return build(_Drawn(draw), profile, unit)

    return drawn()


def lower(trial: Trial, profile: str, unit: int) -> bool:
    """Lower the numbers of the trial's best case; the result is the trial's best.

    Returns:
        False for a case that no profile draws; it is left as it is.

    Raises:
        OutOfBudget: when the trial's time or runs are used up.
    """
    cold = trial.best.cold  # which no profile draws

    def holds(case: Case) -> bool:
        return trial.holds(replace(case, cold=cold))

    for name in dict.fromkeys((profile, *BY_NAME)):
        if name in BY_NAME:
            with contextlib.suppress(Untraceable):
                minimal(trace(trial.best, name, unit), cases(name, unit), holds)
                return True
    return False


def minimal(choices: Sequence[int], strategy: st.SearchStrategy[Case], holds: Callable[[Case], bool]) -> None:
    """Let Hypothesis shrink from recorded choices; ``holds`` sees every case that it tries."""
    database = InMemoryExampleDatabase()
    database.save(KEY + SECONDARY, choices_to_bytes(tuple(choices)))
    with contextlib.suppress(HypothesisException), _seeded():
        hypothesis.find(
            strategy,
            holds,
            settings=settings(
                database=database,
                phases=[Phase.reuse, Phase.shrink],
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
            database_key=KEY,
        )


@contextlib.contextmanager
def _seeded() -> Iterator[None]:
    """Within it, this thread's Hypothesis chooses by a fixed seed; ``find`` with a ``random`` drops its database."""
    before = threadlocal._hypothesis_global_random  # noqa: SLF001 - there is no public way
    threadlocal._hypothesis_global_random = Random(SEED)  # noqa: S311, SLF001 - it only orders attempts
    try:
        yield
    finally:
        threadlocal._hypothesis_global_random = before  # noqa: SLF001
