"""The pytest plugin in projects of other people."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PLANTED, ROOT, planted
from tests.unit.test_codec import TEXT

NAME = "a-page-cleared-as-wide-as-its-block-stride-d551395f.json"


def in_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest with the plugin in a folder, on the simulator."""
    plugin = [] if _registered() else ["-p", "fuzz.pytest_plugin"]
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            *plugin,
            "-p",
            "no:cacheprovider",
            "--kvzero-engine",
            "simulator",
            *arguments,
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )


def _registered() -> bool:
    from importlib.metadata import entry_points

    return "kvzero" in entry_points(group="pytest11").names


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with an ini file and one case in its corpus."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nkvzero_corpus = cases\n")
    (tmp_path / "cases" / "history").mkdir(parents=True)
    (tmp_path / "cases" / "history" / NAME).write_text(TEXT)
    return tmp_path


def test_a_case_is_an_item_for_each_target(project: Path) -> None:
    """Named finds must show, everything else must pass; here two finds are not named and fail."""
    run = in_pytest(project, "-n", "2", "-v")
    assert "2 failed, 6 passed" in run.stdout
    assert f"cases/history/{NAME}::page_table" in run.stdout
    assert "expected: passed" in run.stdout
    assert f"Reproduce with: kvzero replay {project}/cases/history/{NAME}" in run.stdout


def test_a_find_that_no_longer_shows_fails(project: Path) -> None:
    """Finds is checked both ways: a label that is not shown any more is an error."""
    path = project / "cases" / "history" / NAME
    path.write_text(TEXT.replace("page_table@h200", "masked_grid@h200"))
    run = in_pytest(project, f"{path}::masked_grid")
    assert "expected: clobbered:padding" in run.stdout
    assert "masked_grid: passed" in run.stdout
    assert run.returncode == 1


def test_a_faulting_target_fails_its_item_only(project: Path) -> None:
    """A target that kills its worker fails; the items after it run in a new one."""
    text = TEXT.replace(
        '"stride": 1184}', '"stride": 1184},\n    {"base": 8000, "blocks": 4, "page": 8, "stride": 8, "times": 5}'
    )
    (project / "cases" / "history" / NAME).write_text(text.replace('"page_table@h200": "clobbered:padding"', ""))
    run = in_pytest(project, "--kvzero-target", planted("null_pointer"), "-v", "-k", "null or masked or index")
    assert "1 failed, 2 passed" in run.stdout
    assert "faulted:memory" in run.stdout


def test_open_finds_are_strict_xfails(project: Path) -> None:
    """A file below crashing/ is expected to fail; once its target is right, it fails the run."""
    (project / "cases" / "crashing").mkdir()
    path = project / "cases" / "crashing" / NAME
    path.write_text(TEXT)
    assert "1 xfailed" in in_pytest(project, str(path)).stdout
    path.write_text(TEXT.replace("page_table@h200", "masked_grid@h200"))
    run = in_pytest(project, str(path))
    assert "1 failed" in run.stdout
    assert "XPASS(strict)" in run.stdout


def test_only_named_folders_are_collected(project: Path) -> None:
    """JSON elsewhere is none of the plugin's business."""
    shutil.copytree(project / "cases", project / "other")
    assert "no tests ran" in in_pytest(project, "other").stdout


@pytest.mark.parametrize("folder", ["nowhere", "empty"])
def test_a_missing_or_empty_corpus_ends_pytest_with_2(project: Path, folder: str) -> None:
    """An ini option that names nothing must not read as success."""
    (project / "empty").mkdir()
    (project / "pytest.ini").write_text(f"[pytest]\nkvzero_corpus = {folder}\n")
    run = in_pytest(project)
    assert run.returncode == 2
    assert f"{folder}: missing, or no case file in it" in run.stdout + run.stderr


def test_a_broken_case_is_a_collection_error(project: Path) -> None:
    """A file that is no case fails the run with the rule that it breaks."""
    (project / "cases" / "history" / NAME).write_text(TEXT.replace('"guard"', '"gard"'))
    run = in_pytest(project)
    assert "unknown field `gard`" in run.stdout
    assert run.returncode == 2


def test_the_fixture_checks_a_target(project: Path) -> None:
    """kvzero_check passes a right zeroer and fails a wrong one with its page map."""
    shutil.copy(PLANTED, project / "mine.py")
    (project / "test_mine.py").write_text(
        "import mine\n"
        "def test_right(kvzero_check):\n    kvzero_check('mine.py:right', corpus='cases')\n"
        "def test_function(kvzero_check):\n    kvzero_check(mine.right, corpus='cases')\n"
        "def test_lazy(kvzero_check):\n    kvzero_check(mine.lazy, corpus='cases')\n"
        "def test_search(kvzero_check):\n    kvzero_check(mine.forgetful, corpus='cases', seconds=8)\n"
        "def test_empty(kvzero_check):\n    kvzero_check(mine.right, corpus='nowhere')\n"
    )
    (project / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    run = in_pytest(project, "test_mine.py")
    assert "3 failed, 2 passed" in run.stdout, run.stdout
    assert "skipped:none" in run.stdout
    assert "mine.py:forgetful: " in run.stdout
    assert "corpus=nowhere: there is no such folder" in run.stdout


def test_the_repository_names_its_own_corpus() -> None:
    """Pytest in the checkout collects the shipped corpus: eight targets for each contract case."""
    run = in_pytest(ROOT, "corpus", "--collect-only", "-q")
    assert run.stdout.count("::masked_grid") >= 30
    assert run.stdout.count("::index_fill") >= 30
