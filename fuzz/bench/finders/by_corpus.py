"""The kept cases: what shipped history and accepted finds show, replayed."""

from __future__ import annotations

from fuzz import corpus
from fuzz.bench.finders.search import First, Stand, one_by_one
from fuzz.bench.subjects import Subject
from fuzz.case import Case


def find(stand: Stand, seed: int, most: int) -> First:  # noqa: ARG001 - nothing is drawn
    """Each file that the subject is held to, by folder and name."""
    kept = (entry.case for entry in corpus.entries(corpus.shipped(), corpus.KEPT))
    return one_by_one(stand, (case for case in kept if _meant(case, stand.subject)))


def _meant(case: Case, subject: Subject) -> bool:
    """Whether a case is made of what the subject takes, and is hostile only where the subject's profiles are."""
    return bool(case.layers) == (subject.takes == "layout") and case.domain in ("contract", *subject.profiles)
