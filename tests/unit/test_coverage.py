"""Kept cases as files: what a search starts from, what merging adds, what pruning deletes."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz import campaign_folder, codec, corpus, distilling
from fuzz.build import build
from fuzz.errors import CorpusError
from fuzz.features import cover, features, needless, pairs
from fuzz.guided.coverage import FOLDER, MOST_AT_FIRST, kept_by, start, write
from fuzz.guided.epochs import first_of
from fuzz.guided.guide import Guide
from fuzz.guided.pool import decode
from fuzz.journal import Journal
from fuzz.plan import Plan
from fuzz.source import Recorder

A, B, C, D = ("a", 1), ("b", 1), ("c", 1), ("d", 1)


def _cases(count: int, first: int = 0) -> list:
    return [build(Recorder(seed), "small") for seed in range(first, first + count)]


def _pairs_of(cases: list) -> set:
    return set().union(*(pairs(features(case)) for case in cases))


def test_a_cover_shows_all_pairs_with_few_cases() -> None:
    """The one that shows most comes first, what shows nothing more is left out, and so is what was shown."""
    assert cover([[A, B], [A, B, C], [A, D], [B, C]]) == [1, 2]
    assert cover([[A, B], [A, B, C]], shown=[[A, B, C]]) == []
    assert cover([]) == []


def test_needless_cases_show_no_pair_of_their_own() -> None:
    """Two that show the same are not both needless, nor is what others show only if they stay."""
    assert needless([[A, B], [A, B]]) == [1]
    assert needless([[A, B], [B, C], [A, B, C]]) == [0, 1]
    assert needless([[A, B, C], [A, B], [A, D]]) == [1]


def test_a_search_starts_from_cases_that_its_profiles_draw(tmp_path: Path) -> None:
    """Files come in the order of their names; those of another profile are passed over."""
    cases = _cases(6)
    write(tmp_path, cases)
    rows = start(tmp_path, ("layout", "small"), 4)
    assert [row.profile for row in rows] == ["small"] * 6
    names = sorted(codec.file_name(case) for case in cases)
    assert sorted(path.name for path in (tmp_path / FOLDER).iterdir()) == names
    assert start(tmp_path, ("layout",), 4) == []
    assert start(tmp_path / "nowhere", ("small",), 4) == []
    assert len(rows) < MOST_AT_FIRST


def _campaign(folder: Path, seed: int) -> Path:
    """A campaign that kept what its first two epochs showed."""
    made = campaign_folder.create(folder, Plan(("t",), ("small",), seed, folder))
    journal = Journal(made.journal)
    journal.state({"unit": 4})
    Guide(seed, ("small",), 4, keep=journal.epoch).at(first_of(2))
    journal.close()
    return folder


def test_merging_adds_what_nobody_showed(tmp_path: Path) -> None:
    """All pairs of campaigns and folders are shown afterwards, by fewer cases; merging again adds nothing."""
    campaigns = [_campaign(tmp_path / name, seed) for seed, name in enumerate("ab")]
    write(tmp_path, _cases(5))
    root = tmp_path / "corpus"
    added, found = distilling.merge([*campaigns, tmp_path / FOLDER], root)
    kept = [entry.case for entry in corpus.entries(root, (FOLDER,))]
    assert 0 < added == len(kept) < found
    whole = _cases(5)
    for seed, campaign in enumerate(campaigns):
        whole += kept_by(Journal(campaign_folder.find(campaign, "x").journal), seed)
    assert _pairs_of(kept) == _pairs_of(whole)
    assert distilling.merge(campaigns, root)[0] == 0
    assert {entry.path.name for entry in corpus.entries(root, (FOLDER,))} == {codec.file_name(one) for one in kept}


def test_pruning_loses_no_pair(tmp_path: Path) -> None:
    """What shows nothing of its own goes, and a second time nothing does."""
    write(tmp_path, _cases(80))
    gone, found = distilling.prune(tmp_path)
    kept = [entry.case for entry in corpus.entries(tmp_path, (FOLDER,))]
    assert 0 < gone == found - len(kept)
    assert _pairs_of(kept) == _pairs_of(_cases(80))
    assert distilling.prune(tmp_path) == (0, len(kept))


def test_folders_without_kept_cases_are_refused(tmp_path: Path) -> None:
    """In words, and nothing is made."""
    with pytest.raises(CorpusError, match="holds no kept case"):
        distilling.merge([tmp_path], tmp_path / "corpus")
    with pytest.raises(CorpusError, match="no case in coverage"):
        distilling.prune(tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_a_campaign_kept_is_what_its_pool_held(tmp_path: Path) -> None:
    """Its cases are those of the pool, in that order, and say which seed and profile they come from."""
    campaign = _campaign(tmp_path / "a", 7)
    cases = kept_by(Journal(campaign_folder.find(campaign, "x").journal), 7)
    assert len(cases) == len(decode(Guide(7, ("small",), 4).at(first_of(2)).pool))
    assert {(case.origin.seed, case.origin.profile) for case in cases} == {(7, "small")}
