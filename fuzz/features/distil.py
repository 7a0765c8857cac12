"""Which of many cases are needed to show every pair that they show together."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence

from fuzz.features.pairs import Code, coded
from fuzz.features.sizes import Feature


def cover(cases: Sequence[Iterable[Feature]], shown: Sequence[Iterable[Feature]] = ()) -> list[int]:
    """Few cases that show all pairs, by their places: first the one that shows most, then what shows most besides.

    Args:
        cases: the features of each.
        shown: features of cases that are there already, whose pairs nobody has to show.
    """
    seen: set[Code] = set().union(*map(coded, shown))
    met = [coded(found) for found in cases]
    waiting = [(-len(pairs - seen), place) for place, pairs in enumerate(met)]
    heapq.heapify(waiting)
    chosen = []
    while waiting and waiting[0][0]:
        count, place = heapq.heappop(waiting)
        now = -len(met[place] - seen)
        if now == count:
            chosen.append(place)
            seen |= met[place]
        else:  # others showed some of them since it was counted
            heapq.heappush(waiting, (now, place))
    return sorted(chosen)


def needless(cases: Sequence[Iterable[Feature]]) -> list[int]:
    """Cases that show no pair of their own, by their places: all of these can go, and no pair goes with them.

    Of several that show the same the first stays.
    """
    met = [coded(found) for found in cases]
    counts = Counter(code for pairs in met for code in pairs)
    gone = []
    for place in reversed(range(len(met))):
        if all(counts[code] > 1 for code in met[place]):
            gone.append(place)
            counts.subtract(met[place])
    return sorted(gone)
