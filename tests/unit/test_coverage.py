"""Kept cases as files: what a search starts from, what merging adds, what pruning deletes."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from fuzz import campaign_folder, codec, corpus, distilling
from fuzz.build import build
from fuzz.errors import CorpusError, JournalError
from fuzz.features import cover, features, needless, pairs
from fuzz.guided import coverage
from fuzz.guided.chain import Grown, link
from fuzz.guided.coverage import FOLDER, kept_by, leave, start, write
from fuzz.guided.epochs import first_of
from fuzz.guided.guide import Guide
from fuzz.guided.pool import Kept, decode, encode
from fuzz.journal import Journal
from fuzz.plan import Plan
from fuzz.source import Choices, Recorder

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
    rows, left_out = start(tmp_path, ("layout", "small"), 4)
    assert [row.profile for row in rows] == ["small"] * 6
    names = sorted(codec.file_name(case) for case in cases)
    assert sorted(path.name for path in (tmp_path / FOLDER).iterdir()) == names
    assert left_out == ""
    assert start(tmp_path / "nowhere", ("small",), 4) == ([], "")


def test_files_that_a_search_does_not_begin_with_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many no profile draws, and how many are too many; the first by name are taken."""
    small, layout = _cases(5), [build(Recorder(seed), "layout") for seed in range(3)]
    write(tmp_path, [*small, *layout])
    monkeypatch.setattr(coverage, "MOST_AT_FIRST", 4)
    rows, left_out = start(tmp_path, ("small",), 4)
    first = sorted(small, key=codec.file_name)[:4]
    assert [build(Choices(row.choices), "small") for row in rows] == first
    assert left_out == (
        f"corpus={tmp_path}: of 8 cases in coverage some are left out: "
        "3 that no profile of this run draws, 1 that come after the first 4"
    )
    rows, left_out = start(tmp_path, ("layout",), 4)
    assert (len(rows), left_out.rpartition(": ")[2]) == (3, "5 that no profile of this run draws")


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


def _broken(folder: Path, rows: bytes, digest: str) -> Path:
    """A campaign whose journal holds such an epoch."""
    made = campaign_folder.create(folder, Plan(("t",), ("small",), 3, folder))
    with closing(Journal(made.journal)) as journal:
        journal.epoch(Grown(0, rows, digest))
    return folder


STRANGE = encode([Kept("small", (2**60,))])
BROKEN = {
    "damaged": (b"\xc1", link("", encode([])), "the kept cases of epoch 0 are not those that its hash names"),
    "unreadable": (b"\xc1", link("", b"\xc1"), "the kept cases of epoch 0 cannot be read"),
    "of another version": (STRANGE, link("", STRANGE), "a kept case of profile small is drawn no more"),
}


@pytest.mark.parametrize(("rows", "digest", "words"), BROKEN.values(), ids=BROKEN)
def test_kept_cases_that_cannot_be_had_are_said_in_words(tmp_path: Path, rows: bytes, digest: str, words: str) -> None:
    """Merging names the campaign and makes nothing; a run that ends tells it and leaves no folder."""
    good, bad = _campaign(tmp_path / "good", 1), _broken(tmp_path / "bad", rows, digest)
    with pytest.raises(JournalError, match=f"merge={bad}: journal: {words}.*can be merged without it"):
        distilling.merge([good, bad], tmp_path / "corpus")
    assert not (tmp_path / "corpus").exists()
    with closing(Journal(bad / campaign_folder.JOURNAL)) as journal:
        assert f"dir={bad}: journal: {words}" in leave(bad, journal, 3)
    assert not (bad / FOLDER).exists()


def test_merging_takes_the_files_of_a_campaign_that_has_some(tmp_path: Path) -> None:
    """A file is the case itself, whatever its journal's choices have come to mean."""
    bad = _broken(tmp_path / "bad", *BROKEN["of another version"][:2])
    write(bad, _cases(3))
    assert distilling.merge([bad], tmp_path / "corpus")[1] == 3


def test_a_finished_campaign_leaves_its_kept_cases(tmp_path: Path) -> None:
    """As files, and nothing is told."""
    campaign = _campaign(tmp_path / "a", 7)
    with closing(Journal(campaign / campaign_folder.JOURNAL)) as journal:
        cases = kept_by(journal, 7)
        assert leave(campaign, journal, 7) == ""
    assert {path.name for path in (campaign / FOLDER).iterdir()} == set(map(codec.file_name, cases))
