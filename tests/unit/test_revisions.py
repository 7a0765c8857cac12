"""Targets as git has them: the file of a revision with the neighbours of that revision, and what they are made of."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fuzz import contents, loading, locators, revisions
from fuzz.errors import UsageError

FILE = "import gate_neighbour\n\ndef zeroer(table, device):\n    return gate_neighbour.WORD\n"


def git(*arguments: str) -> None:
    """Run git in the current folder, as somebody."""
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], check=True, capture_output=True)  # noqa: S607


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Two revisions of a kernel's neighbour, ``old`` and HEAD, and a third in the working tree."""
    kernels = tmp_path / "a" / "kernels"
    kernels.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(loading, "_folders", set())
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    git("init", "-q")
    for word in ("old", "head", "here"):
        (kernels / "k.py").write_text(FILE)
        (kernels / "gate_neighbour.py").write_text(f"WORD = '{word}'\n")
        if word != "here":
            git("add", "a")
            git("commit", "-q", "-m", word)
            git("tag", word)
    path = list(sys.path)
    yield tmp_path
    sys.path[:] = path
    for name in ("gate_neighbour", "kvzero_target_k"):
        sys.modules.pop(name, None)


def test_each_revision_has_its_own_neighbours(repository: Path) -> None:
    """Three states of one file in one process import three states of the file beside it."""
    locators = ("a/kernels/k.py:zeroer", "git:old:a/kernels/k.py:zeroer", "git:HEAD:a/kernels/k.py:zeroer")
    loaded = [loading.load(locator) for locator in locators]
    assert [target.make(None, None) for target in loaded] == ["here", "old", "head"]
    assert len({target.content for target in loaded}) == 3


def test_what_is_the_same_has_one_hash(repository: Path) -> None:
    """A working tree that is as the revision is has its hash, and another neighbour makes another one."""
    (repository / "a/kernels/gate_neighbour.py").write_text("WORD = 'head'\n")
    here, head = (loading.load(f"{place}a/kernels/k.py:zeroer").content for place in ("", "git:HEAD:"))
    assert here == head
    assert loading.load("git:old:a/kernels/k.py:zeroer").content != here


def test_a_path_is_taken_from_the_folder_that_one_stands_in(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below the repository's root, with dots, and absolute."""
    monkeypatch.chdir(repository / "a")
    for path in ("kernels/k.py", "../a/kernels/k.py", str(repository / "a/kernels/k.py")):
        assert revisions.exported(f"git:old:{path}:zeroer").read_text() == FILE


def test_a_damaged_export_is_written_again(repository: Path) -> None:
    """A cleaner that took one file of the shared folder costs another folder, not an error."""
    first = revisions.exported("git:old:a/kernels/k.py:zeroer")
    assert first == revisions.exported("git:old:a/kernels/k.py:zeroer")
    (first.parent / "gate_neighbour.py").unlink()
    again = revisions.exported("git:old:a/kernels/k.py:zeroer")
    assert (again.parent / "gate_neighbour.py").exists()


@pytest.mark.parametrize(
    ("locator", "words"),
    [
        ("git:old", "three parts"),
        ("git:old:a/kernels/k.py", "three parts"),
        ("git:old:a/kernels/k.py:zeroer:more", "three parts"),
        ("git::a/kernels/k.py:zeroer", "three parts"),
        ("git:old:a/kernels/k.txt:zeroer", "no Python file"),
        ("git:old:a/kernels/k.py:ze roer", "is no name"),
        ("git:--help:a/kernels/k.py:zeroer", "begin with a dash"),
        ("git:never:a/kernels/k.py:zeroer", "no revision never"),
        ("git:old:a/kernels/none.py:zeroer", "old has no file a/kernels/none.py"),
        ("git:old:../k.py:zeroer", "outside of the repository"),
    ],
)
def test_what_git_does_not_have_is_refused_unimported(repository: Path, locator: str, words: str) -> None:
    """A malformed locator, a revision or a file that is not there is named, and nothing is imported."""
    with pytest.raises(UsageError, match=words):
        locators.check(locator)
    assert "kvzero_target_k" not in sys.modules


def test_a_file_that_is_new_has_none_in_an_old_revision(repository: Path) -> None:
    """A folder of that name is no file; a revision that is not there is refused."""
    assert not revisions.is_new("git:old:a/kernels/k.py:zeroer")
    assert revisions.is_new("git:old:a/kernels/none.py:zeroer")
    (repository / "d.py").mkdir()
    (repository / "d.py" / "one.txt").write_text("")
    for arguments in (["add", "d.py"], ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "a"]):
        subprocess.run(["git", *arguments], cwd=repository, check=True)  # noqa: S607
    assert revisions.is_new("git:HEAD:d.py:zeroer")
    with pytest.raises(UsageError, match="no revision never"):
        revisions.is_new("git:never:a/kernels/k.py:zeroer")


def test_outside_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of no repository is named as such, and so is a machine without git."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(UsageError, match="in no git repository"):
        locators.check("git:HEAD:k.py:zeroer")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="no git on this machine"):
        locators.check("git:HEAD:k.py:zeroer")


def test_a_built_in_target_has_a_hash_of_its_own() -> None:
    """Two kernels of one package are two programs, each the same every time."""
    one, two = contents.of_built_in("masked_grid"), contents.of_built_in("page_table")
    assert one != two
    assert one == contents.of_built_in("masked_grid")
