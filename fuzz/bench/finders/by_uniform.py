"""The same profiles, each number drawn evenly: what leaning to boundaries is worth."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from msgspec.structs import replace

from fuzz.bench.finders.search import First, Stand, one_by_one
from fuzz.build import WARM_EVERY, build
from fuzz.case import Case


class Uniform:
    """A source without bias.

    Args:
        seed: decides all of it.
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311 - no secret

    def integer(self, low: int, high: int) -> int:
        """Any number of the range, each as likely."""
        return self._random.randint(low, high)

    repeat = integer


def find(stand: Stand, seed: int, most: int) -> First:
    """Cases of the subject's profiles by turns."""
    return one_by_one(stand, _cases(stand, seed, most))


def _cases(stand: Stand, seed: int, most: int) -> Iterator[Case]:
    profiles = stand.subject.profiles
    for index in range(most):
        turn, place = divmod(index, len(profiles))
        case = build(Uniform((seed << 40) + index), profiles[place], stand.unit)
        yield replace(case, cold=True) if turn % WARM_EVERY else case
