"""Corpus folders: what is kept, replaced, accepted and known."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from fuzz import codec, corpus
from fuzz.case import Origin
from fuzz.errors import CorpusError
from fuzz.verdict import Bucket
from tests.unit.test_codec import TEXT

CASE = replace(codec.decode(TEXT), finds={}, title="")
BUCKET = Bucket("page_table", "h200", "clobbered", "padding")
SMALLER = replace(CASE, segments=tuple(type(s)(s.base, 2, s.page, s.stride) for s in CASE.segments))


def test_a_smaller_case_replaces_a_larger_one_of_its_bucket(tmp_path: Path) -> None:
    """A bucket has one file; a larger case leaves it alone."""
    first = corpus.keep(tmp_path, CASE, BUCKET)
    second = corpus.keep(tmp_path, SMALLER, BUCKET)
    third = corpus.keep(tmp_path, CASE, BUCKET)
    assert first != second == third
    assert list((tmp_path / "crashing").iterdir()) == [second]
    assert codec.read(second).finds == {"page_table@h200": "clobbered:padding"}


def test_other_buckets_have_other_files(tmp_path: Path) -> None:
    """Target, profile, kind and detail each make a bucket."""
    changes = [{}, {"target": "other"}, {"device_profile": "mi300x"}, {"kind": "wrong"}, {"detail": "guard"}]
    for change in changes:
        corpus.keep(tmp_path, CASE, BUCKET._replace(**change))
    assert len(list((tmp_path / "crashing").iterdir())) == len(changes)


def test_two_targets_of_one_name_lose_nothing(tmp_path: Path) -> None:
    """The same case of a/k.py and b/k.py is one file that names both; each can leave it alone."""
    first = corpus.keep(tmp_path, CASE, BUCKET._replace(target="a/k.py:zeroer"))
    second = corpus.keep(tmp_path, CASE, BUCKET._replace(target="b/k.py:zeroer"))
    assert first == second
    assert codec.read(first).finds.keys() == {"a/k.py:zeroer@h200", "b/k.py:zeroer@h200"}
    smaller = corpus.keep(tmp_path, SMALLER, BUCKET._replace(target="b/k.py:zeroer"))
    assert codec.read(first).finds.keys() == {"a/k.py:zeroer@h200"}
    assert codec.read(smaller).finds.keys() == {"b/k.py:zeroer@h200"}


def test_a_find_that_cannot_be_written_raises_and_leaves_nothing(tmp_path: Path) -> None:
    """A file where the folder should be is an OSError, for the caller to print the find in full."""
    (tmp_path / "crashing").write_text("")
    with pytest.raises(OSError, match=r"File exists|Not a directory"):
        corpus.keep(tmp_path, CASE, BUCKET)


def test_accepted_finds_move_and_forget_strangers(tmp_path: Path) -> None:
    """The file moves to regressions/; what built-in targets show is noted."""
    case = replace(CASE, origin=Origin("fuzz", seed=1))
    path = corpus.keep(tmp_path, case, BUCKET._replace(target="mine.py:zeroer"))
    kept = corpus.accept(tmp_path, path, "A title", "vllm#50276", {"masked_grid@h200": "stale:tail"})
    assert not path.exists()
    assert kept.parent.name == "regressions"
    accepted = codec.read(kept)
    assert (accepted.title, accepted.origin.ref) == ("A title", "vllm#50276")
    assert accepted.finds == {"masked_grid@h200": "stale:tail"}


def test_known_needs_a_reference(tmp_path: Path) -> None:
    """A find under regressions/ counts as known only if its origin names a reference."""
    path = corpus.keep(tmp_path, replace(CASE, origin=Origin("fuzz")), BUCKET)
    assert corpus.known(tmp_path) == set()
    corpus.accept(tmp_path, path, None, "vllm#50276", {})
    assert corpus.known(tmp_path) == {BUCKET}


def test_a_missing_or_empty_corpus_is_an_error(tmp_path: Path) -> None:
    """Zero cases never read as clean."""
    with pytest.raises(CorpusError, match="there is no such folder"):
        corpus.checked(tmp_path / "nowhere")
    with pytest.raises(CorpusError, match="no case in"):
        corpus.checked(tmp_path)


def test_a_file_under_another_name_is_an_error(tmp_path: Path) -> None:
    """A name that does not follow from title and content is named with the right one."""
    path = corpus.keep(tmp_path, CASE, BUCKET)
    path.rename(path.with_name("other.json"))
    with pytest.raises(CorpusError, match=f"make the name {path.name}"):
        corpus.checked(tmp_path)


def test_the_shipped_corpus_is_in_order() -> None:
    """Every shipped case reads, has its own name, and each known find has a reference."""
    entries = corpus.checked(corpus.shipped())
    assert len(entries) >= 30
    assert all(entry.case.origin.ref for entry in entries if entry.case.finds)
