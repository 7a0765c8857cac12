"""The guide: epochs, what is kept, and that a pool is the same however often a run is broken off."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from fuzz import build as build_module
from fuzz.build import build, numbered
from fuzz.case import Case
from fuzz.errors import JournalError
from fuzz.features import Seen, features
from fuzz.guided import guide as module
from fuzz.guided.chain import Grown, link
from fuzz.guided.epochs import FIRST, LONGEST, epoch_of, first_of, looked_at
from fuzz.guided.guide import Guide
from fuzz.guided.pool import Kept, Pool, decode, encode
from fuzz.journal import Journal
from fuzz.source import Choices

USUAL = ("small", "launch", "far")


def test_epochs_follow_each_other_and_double_up_to_the_longest() -> None:
    """Every case has one epoch, and each epoch is twice as long as the one before, or as long."""
    firsts = [first_of(epoch) for epoch in range(20)]
    lengths = [stop - first for first, stop in pairwise(firsts)]
    assert firsts[0] == 0
    assert lengths[0] == FIRST
    assert all(later == min(2 * length, LONGEST) for length, later in pairwise(lengths))
    assert lengths[-1] == LONGEST
    for epoch, (first, stop) in enumerate(pairwise(firsts)):
        assert [epoch_of(first), epoch_of(stop - 1)] == [epoch, epoch]


@pytest.mark.parametrize("turns", range(1, 11))
def test_looks_take_turns_among_profiles_and_stay_in_their_epoch(turns: int) -> None:
    """In every epoch each profile has its share, no case is looked at twice, and both ends are near a look."""
    for epoch in range(epoch_of(3 * LONGEST) + 1):
        first, stop = first_of(epoch), first_of(epoch + 1)
        looked = looked_at(epoch, turns, module.LOOKS)
        shares = Counter(index % turns for index in looked)
        assert len(set(looked)) == len(looked)
        assert len(looked) >= min(stop - first, module.LOOKS)
        assert len(shares) == turns
        assert max(shares.values()) - min(shares.values()) <= 1
        between = (stop - first) // len(looked) + 2 * turns
        assert first <= min(looked) < first + between
        assert stop - between <= max(looked) < stop


@pytest.mark.parametrize("profiles", [("small", "far"), ("small", "launch", "far", "hostile")])
def test_every_profile_is_looked_at_in_late_epochs(profiles: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """An even number of profiles, an even step between looks: none of them is left out."""
    drawn = Counter[tuple[int, str]]()

    def noted(seed: int, index: int, *rest: Any) -> tuple[Case, str]:
        case, profile = build_module.drawn(seed, index, *rest)
        drawn[epoch_of(index), profile] += 1
        return case, profile

    monkeypatch.setattr(module, "drawn", noted)
    Guide(3, profiles, 4).at(first_of(7))
    share = module.LOOKS // len(profiles)
    assert {drawn[epoch, profile] for epoch in (3, 4, 5, 6) for profile in profiles} == {share}


@pytest.mark.parametrize("profiles", [USUAL, ("layout",)])
def test_what_is_kept_shows_a_pair_that_nothing_before_it_showed(profiles: tuple[str, ...]) -> None:
    """Each kept case draws again, and adds a pair; the first epoch has none."""
    guide = Guide(3, profiles, 4)
    assert decode(guide.at(0).pool) == ()
    rows = decode(guide.at(first_of(3)).pool)
    seen = Seen()
    assert len(rows) > FIRST
    assert {row.profile for row in rows} == set(profiles)
    assert all(seen.add(features(build(Choices(row.choices), row.profile))) for row in rows)


def test_a_pool_only_grows_and_earlier_epochs_keep_theirs() -> None:
    """Asked again after later ones were made, an epoch has the same pool; a later one begins with it."""
    guide = Guide(3, USUAL, 4)
    before = [guide.at(first_of(epoch)).pool for epoch in range(4)]
    assert [guide.at(first_of(epoch)).pool for epoch in range(4)] == before
    for earlier, later in pairwise(map(decode, before)):
        assert later[: len(earlier)] == earlier
        assert len(later) > len(earlier)


def test_a_pool_is_decided_by_seed_profiles_unit_and_start() -> None:
    """Two guides agree whatever they are asked first; another seed or another start has another pool."""
    place = first_of(2)
    pool = Guide(3, USUAL, 4).at(place).pool
    other = Guide(3, USUAL, 4)
    for epoch in range(3):
        other.at(first_of(epoch))
    assert other.at(place).pool == pool
    start = decode(pool)[-5:]
    assert Guide(4, USUAL, 4).at(place).pool != pool
    begun = Guide(3, USUAL, 4, start=start)
    assert decode(begun.at(0).pool) == start
    assert begun.at(place).pool != pool


def test_what_was_kept_is_gone_on_with() -> None:
    """A guide that is given what another one told makes the same further epochs, and tells only these."""
    told: list[Grown] = []
    whole = Guide(3, USUAL, 4, keep=told.append)
    pool = whole.at(first_of(3)).pool
    assert [one.epoch for one in told] == [0, 1, 2, 3]
    more: list[Grown] = []
    resumed = Guide(3, USUAL, 4, grown=told[:2], keep=more.append)
    assert resumed.at(first_of(3)).pool == pool
    assert more == told[2:]
    assert len(resumed.seen) == len(whole.seen)


@pytest.mark.parametrize("broken_off", [3, 4, 6])
def test_a_resume_begins_with_the_newest_counted_pairs(broken_off: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It draws only what came after them, has the same counts at once, and makes the same further epochs."""
    journal = Journal()
    whole = Guide(3, USUAL, 4, keep=journal.epoch)
    whole.at(first_of(broken_off - 1))
    counts, cover = whole.seen.encode(), whole.cover
    before = journal.epochs()
    drawn: set[int] = set()

    def noted(seed: int, index: int, *rest: Any) -> tuple[Case, str]:
        drawn.add(epoch_of(index))
        return build_module.drawn(seed, index, *rest)

    more: list[Grown] = []
    monkeypatch.setattr(module, "drawn", noted)
    resumed = Guide(3, USUAL, 4, grown=before, keep=more.append)
    monkeypatch.undo()
    counted = broken_off // module.COUNTED * module.COUNTED
    assert drawn == set(range(max(counted - 1, 0), broken_off - 1))
    assert (resumed.seen.encode(), resumed.cover) == (counts, cover)
    assert resumed.at(0).pool == whole.at(0).pool
    assert resumed.at(first_of(7)).pool == whole.at(first_of(7)).pool
    assert [one[:3] for one in more] == [one[:3] for one in journal.epochs()[broken_off:]]
    assert more[-1].seen == journal.epochs()[-1].seen == whole.seen.encode()
    assert (resumed.seen.encode(), resumed.cover) == (whole.seen.encode(), whole.cover)


def test_a_pool_that_was_changed_is_refused() -> None:
    """Kept cases that are not those of their hash would make other cases of the same numbers."""
    told: list[Grown] = []
    Guide(3, USUAL, 4, keep=told.append).at(first_of(4))
    for broken in (told[2].rows, b"\xc1 no rows"):
        with pytest.raises(JournalError, match="the kept cases of epoch 1 are not those"):
            Guide(3, USUAL, 4, grown=[told[0], told[1]._replace(rows=broken), *told[2:]])


def test_what_cannot_be_read_is_said_in_words() -> None:
    """Rows, counted pairs and choices of another version: what is wrong, and the way out."""
    strange = encode([Kept("small", (2**60,))])
    gone = encode([Kept("profile of old", (1,))])
    good = encode([])
    for rows, seen, words in (
        (b"\xc1 no rows", None, "the kept cases of epoch 0 cannot be read"),
        (good, b"\xc1", "the pairs of epoch 0 cannot be read"),
        (good, msgspec.msgpack.encode((1, [("calls", 1)], [(0, 1, 1)])), "names a feature that is not there"),
        (strange, None, "a kept case of profile small is drawn no more"),
        (gone, None, "a kept case of profile profile of old is drawn no more"),
    ):
        with pytest.raises(JournalError, match=f"{words}.*begin anew with --dir"):
            Guide(3, USUAL, 4, grown=[Grown(0, rows, link("", rows), seen)])


def test_a_pool_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """It keeps the first so many and no more; fewer cases are looked at from then on."""
    monkeypatch.setattr(module, "MOST", 70)
    guide = Guide(3, USUAL, 4)
    pools = [guide.at(first_of(epoch)).pool for epoch in range(7)]
    assert [len(decode(pool)) for pool in pools] == [0, FIRST, *[70] * 5]
    assert guide.seen.cases == FIRST + 2 * FIRST + 4 * module.GLANCES


def test_cases_are_decided_by_their_pool() -> None:
    """With a pool some cases are others than without, and the same pool gives the same ones."""
    pool = Pool(decode(Guide(3, ("small",), 4).at(FIRST).pool))
    drawn = [numbered(3, index, ("small",), 4, pool)[0] for index in range(FIRST, 2 * FIRST)]
    again = [numbered(3, index, ("small",), 4, pool)[0] for index in range(FIRST, 2 * FIRST)]
    bare = [numbered(3, index, ("small",), 4)[0] for index in range(FIRST, 2 * FIRST)]
    assert drawn == again
    assert 0 < sum(one != other for one, other in zip(drawn, bare, strict=True)) < FIRST


def test_a_kept_case_that_is_not_drawn_is_left_out() -> None:
    """An empty pool is no pool: a profile of which nothing is kept is drawn as without one."""
    pool = Pool([Kept("launch", (0, 1))])
    assert [numbered(3, index, ("small",), 4, pool) for index in range(8)] == [
        numbered(3, index, ("small",)) for index in range(8)
    ]
