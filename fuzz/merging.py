"""Several campaigns as one: their finds in one corpus, one file a bucket, their counts added."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from fuzz import corpus
from fuzz.campaign_folder import CampaignFolder
from fuzz.events import Find, Report
from fuzz.journal import Journal
from fuzz.simplicity import order


def report_of(folder: CampaignFolder) -> Report:
    """What a campaign's journal holds.

    Raises:
        JournalError: if it cannot be read.
    """
    report = Report(folder.written.plan.seed)
    if folder.journal.exists():
        with closing(Journal(folder.journal)) as journal:
            journal.restore(report)
    return report


def merge(folders: list[CampaignFolder], root: Path) -> Report:
    """Keep the smallest case of each bucket in ``crashing/`` of a corpus; the report of all runs together.

    Merging the same campaigns again changes nothing. The seed is that of the first.

    Raises:
        JournalError: if a journal cannot be read.
        OSError: if the corpus cannot be written.
    """
    merged = Report(folders[0].written.plan.seed, stop_reason="merged")
    for folder in folders:
        report = report_of(folder)
        merged.add(report.counts, report.unproved_by_profile)
        merged.seconds += report.seconds
        merged.compiled = max(merged.compiled, report.compiled)
        merged.trouble = merged.trouble or report.trouble
        for find in report.distinct:
            _add(merged, find)
    for find in merged.distinct:
        if not find.known:
            find.path = corpus.keep(root, find.case, find.bucket)
    return merged


def _add(merged: Report, find: Find) -> None:
    """Book a find of one campaign; it is known only if it is known in all."""
    other = merged.finds.setdefault(find.bucket, find)
    if other is find:
        return
    other.count += find.count
    other.known &= find.known
    if order(find.case) < order(other.case):
        other.case, other.verdict, other.profile = find.case, find.verdict, find.profile
