"""Files and folders that are there whole or not at all, whoever writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz import whole
from fuzz.reports.stats_files import STATS, StatsFiles


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    """The new text under the old name, readable by all, and nothing else in the folder."""
    path = tmp_path / "one.json"
    for text in ("before", "é\n"):
        whole.write(path, text)
        assert path.read_text(encoding="utf-8") == text
    assert (list(tmp_path.iterdir()), path.stat().st_mode & 0o777) == ([path], 0o644)


@pytest.mark.parametrize("text", ["one", "\ud800"])
def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path, text: str) -> None:
    """A name that a folder has, a text that is none."""
    path = tmp_path / "taken"
    (path / "inside").mkdir(parents=True)
    with pytest.raises((OSError, UnicodeEncodeError)):
        whole.write(path, text)
    assert (list(tmp_path.iterdir()), list(path.iterdir())) == ([path], [path / "inside"])


def test_a_folder_is_there_once_it_is_filled(tmp_path: Path) -> None:
    """Until then its name is free; afterwards it is readable by all, and nothing else in the folder around it."""
    path = tmp_path / "kept"
    with whole.folder(path) as made:
        (made / "one").write_text("1")
        assert not path.exists()
    assert (list(tmp_path.iterdir()), list(path.iterdir())) == ([path], [path / "one"])
    assert path.stat().st_mode & 0o777 == 0o755


def test_a_folder_that_cannot_be_filled_leaves_nothing_behind(tmp_path: Path) -> None:
    """A file in it is begun already when its text is found to be none."""
    with pytest.raises(UnicodeEncodeError), whole.folder(tmp_path / "kept") as made:
        (made / "one").write_text("\ud800", encoding="utf-8")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_takes_no_others_name(tmp_path: Path) -> None:
    """One that holds something stays as it was, and nothing is left beside it."""
    (tmp_path / "kept" / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match="not empty"), whole.folder(tmp_path / "kept"):
        pass
    assert list(tmp_path.rglob("*")) == [tmp_path / "kept", tmp_path / "kept" / "inside"]


def test_statistics_that_cannot_be_written_leave_nothing_behind(tmp_path: Path) -> None:
    """A folder has their name; the run goes on."""
    (tmp_path / STATS).mkdir()
    StatsFiles(tmp_path).write({"seconds": 0.0})
    assert list(tmp_path.iterdir()) == [tmp_path / STATS]
