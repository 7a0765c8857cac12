"""A corpus' ``coverage/``, made from many searches and made smaller: what shows no further pair is left out."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from fuzz import campaign_folder, codec, corpus, whole
from fuzz.campaign_folder import CampaignFolder
from fuzz.case import Case
from fuzz.errors import CorpusError, JournalError
from fuzz.features import cover, features, needless
from fuzz.guided.coverage import FOLDER, kept_by
from fuzz.journal import Journal


def merge(folders: Iterable[Path], root: Path) -> tuple[int, int]:
    """Add to a corpus' ``coverage/`` what is needed to show all pairs that the folders' cases show.

    Args:
        folders: campaigns, corpora, or folders of case files.
        root: the corpus.

    Returns:
        How many cases were added, and how many were looked at.

    Raises:
        CorpusError: for a folder that holds no such case.
        CaseError: for a file that breaks a rule.
        JournalError: for a campaign that cannot be read.
        OSError: if the corpus cannot be written.
    """
    found = {codec.file_name(case): case for folder in folders for case in _cases_of(folder)}
    there = [features(entry.case) for entry in corpus.entries(root, (FOLDER,))]
    names = sorted(found)
    chosen = [names[place] for place in cover([features(found[name]) for name in names], there)]
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    for name in chosen:
        whole.write(root / FOLDER / name, codec.encode(found[name]))
    return len(chosen), len(found)


def prune(root: Path) -> tuple[int, int]:
    """Delete the files of a corpus' ``coverage/`` that show no pair of their own.

    Returns:
        How many were deleted, and how many there were.

    Raises:
        CorpusError: if there is none.
        CaseError: for a file that breaks a rule; nothing is deleted then.
    """
    found = list(corpus.entries(root, (FOLDER,)))
    if not found:
        raise CorpusError(f"corpus={root}: no case in {FOLDER}; kvzero corpus merge DIR brings some there")
    gone = needless([features(entry.case) for entry in found])
    for place in gone:
        found[place].path.unlink(missing_ok=True)
    return len(gone), len(found)


def _cases_of(folder: Path) -> list[Case]:
    """The files of a folder's ``coverage/`` if it has some; else what a journal holds, or the folder's own files.

    Choices in a journal mean what they meant to the version that wrote them; a file is the case itself.
    """
    paths = sorted((folder / FOLDER).glob("*.json"))
    if not paths and (folder / campaign_folder.PLAN).exists():
        cases = _kept_by(campaign_folder.find(folder, "merge"))
    else:
        cases = [codec.read(path) for path in paths or sorted(folder.glob("*.json"))]
    if not cases:
        raise CorpusError(
            f"merge={folder}: holds no kept case; name a campaign that ran, a corpus with {FOLDER}/, or such a folder"
        )
    return cases


def _kept_by(campaign: CampaignFolder) -> list[Case]:
    if not campaign.journal.exists():
        return []
    try:
        with closing(Journal(campaign.journal)) as journal:
            return kept_by(journal, campaign.written.plan.seed)
    except JournalError as error:
        raise JournalError(f"merge={campaign.path}: {error}; the others can be merged without it") from None
