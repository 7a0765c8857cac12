"""Files that are there whole or not at all, whoever writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz import whole_file
from fuzz.reports.stats_files import STATS, StatsFiles


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    """The new text under the old name, readable by all, and nothing else in the folder."""
    path = tmp_path / "one.json"
    for text in ("before", "é\n"):
        whole_file.write(path, text)
        assert path.read_text(encoding="utf-8") == text
    assert (list(tmp_path.iterdir()), path.stat().st_mode & 0o777) == ([path], 0o644)


@pytest.mark.parametrize("text", ["one", "\ud800"])
def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path, text: str) -> None:
    """A name that a folder has, a text that is none."""
    path = tmp_path / "taken"
    (path / "inside").mkdir(parents=True)
    with pytest.raises((OSError, UnicodeEncodeError)):
        whole_file.write(path, text)
    assert (list(tmp_path.iterdir()), list(path.iterdir())) == ([path], [path / "inside"])


def test_statistics_that_cannot_be_written_leave_nothing_behind(tmp_path: Path) -> None:
    """A folder has their name; the run goes on."""
    (tmp_path / STATS).mkdir()
    StatsFiles(tmp_path).write({"seconds": 0.0})
    assert list(tmp_path.iterdir()) == [tmp_path / STATS]
