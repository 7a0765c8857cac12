"""Pairs of features: which of them were met, how often, and what share that is of those there may be.

One feature alone says little, because a few hundred cases show nearly all of them. Faults sit where two meet: a
tail of four bytes in a page that is also padded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from typing import Annotated

import msgspec

from fuzz.build import numbered
from fuzz.features.of_case import features
from fuzz.features.sizes import Feature

Pair = tuple[Feature, Feature]

_numbers: dict[Feature, int] = {}
_features: list[Feature] = []
"""Features in the order in which this process met them. A pair is held as two of their numbers: hashing these costs
a fifth of what names and values do."""

Code = tuple[int, int]

_Place = Annotated[int, msgspec.Meta(ge=0)]
_written = msgspec.msgpack.Decoder(tuple[int, list[Feature], list[tuple[_Place, _Place, int]]])
"""Cases, the features in order, and of each pair the places of its two there and its count."""


def pairs(found: Iterable[Feature]) -> frozenset[Pair]:
    """Each two of the features, the smaller one first; two values of one name are a pair as well."""
    return _read(coded(found))


def coded(found: Iterable[Feature]) -> frozenset[Code]:
    """The same pairs as numbers that mean something in this process alone."""
    met = sorted([_number(feature) for feature in found])
    return frozenset(combinations(met, 2))


def _number(feature: Feature) -> int:
    number = _numbers.get(feature)
    if number is None:
        number = _numbers[feature] = len(_features)
        _features.append(feature)
    return number


def _read(codes: Iterable[Code]) -> frozenset[Pair]:
    both = ((_features[first], _features[second]) for first, second in codes)
    return frozenset((one, other) if one < other else (other, one) for one, other in both)


class Seen:
    """Pairs that were met, each with how many cases showed it.

    Attributes:
        cases: how many were added.
    """

    def __init__(self) -> None:
        self.cases = 0
        self._counts: Counter[Code] = Counter()

    def __len__(self) -> int:
        return len(self._counts)

    @classmethod
    def decode(cls, data: bytes) -> Seen:
        """What :meth:`encode` wrote, in this process or another one.

        Raises:
            msgspec.MsgspecError: if it is none.
        """
        cases, found, rows = _written.decode(data)
        if any(max(one, other) >= len(found) for one, other, _ in rows):
            raise msgspec.ValidationError("a pair names a feature that is not there")
        numbers = [_number(feature) for feature in found]
        seen = cls()
        seen.cases = cases
        for one, other, count in rows:
            first, second = sorted((numbers[one], numbers[other]))
            seen._counts[first, second] = count
        return seen

    def encode(self) -> bytes:
        """All of it, the same for equal ones: some seven bytes a pair."""
        numbers = sorted({number for code in self._counts for number in code}, key=_features.__getitem__)
        place = {number: at for at, number in enumerate(numbers)}
        rows = [(*sorted((place[first], place[second])), count) for (first, second), count in self._counts.items()]
        return msgspec.msgpack.encode((self.cases, [_features[number] for number in numbers], sorted(rows)))

    def new(self, found: Iterable[Feature]) -> frozenset[Pair]:
        """The pairs of these features that no case has shown; nothing is counted."""
        return _read(self._fresh(coded(found)))

    def add(self, found: Iterable[Feature]) -> frozenset[Pair]:
        """Count a case with these features; the pairs that it was first to show."""
        met = coded(found)
        fresh = self._fresh(met)
        self._counts.update(met)
        self.cases += 1
        return _read(fresh)

    def _fresh(self, met: Iterable[Code]) -> list[Code]:
        return [code for code in met if code not in self._counts]

    def rare(self, most: int) -> frozenset[Pair]:
        """The pairs that at most so many cases showed."""
        return _read(pair for pair, count in self._counts.items() if count <= most)

    def estimate(self) -> float:
        """How many pairs there may be, if the cases were drawn independently of each other.

        Chao's estimate (Chao 1984, bias-corrected): pairs that one case showed and pairs that two did tell
        about those that none did. It is a lower bound on average, for it knows nothing of what is too rare to be
        met even once or twice: from 1,500 cases it was 2 % too low for profile small, and 14 % at the least for
        launch and far, where 20,000 cases showed more than it had told.
        """
        ones, twos = (sum(count == times for count in self._counts.values()) for times in (1, 2))
        return len(self) + ones * (ones - 1) / (2 * (twos + 1))

    def cover(self, drawn: Seen) -> float:
        """Percent of the pairs that a profile can show, held against cases drawn from it by :func:`drawn_from`.

        The number of pairs is not known. It is taken to be the estimate from the drawn cases, or all pairs that
        these and ours show together if they are more. Either is rather too small, so the percentage is
        rather too high. Ours must be made without launches too: what only a launch shows is not drawn.
        """
        together = len(self._counts.keys() | drawn._counts.keys())
        return 100 * len(self) / max(drawn.estimate(), together, 1)


def drawn_from(profile: str, cases: int, seed: int = 0, unit: int = 4) -> Seen:
    """The pairs of the first cases of a profile, drawn and not run.

    Give it another seed than the search's, or the search is held against itself.
    """
    seen = Seen()
    for index in range(cases):
        seen.add(features(numbered(seed, index, (profile,), unit)[0]))
    return seen
