"""Corpus files as pytest items, and a fixture that checks a target from other people's tests.

Below the folders that the ini option ``kvzero_corpus`` names, each case file gives one item a target:
the built-in ones and those named by ``--kvzero-target``. The items of a pytest process that run on
built-in targets share one spawned worker, and each other target has its own, so a target that faults
fails its item and nothing else. Until a case is collected this imports nothing but pytest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fuzz.case import Case
    from fuzz.checking import Checker

FOLDERS = ("history", "regressions", "crashing")
OPEN_FINDS = "crashing"
USUAL_PROFILE = "h200"
CHECKERS = pytest.StashKey["dict[tuple[object, ...], Checker]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Name the plugin's options."""
    parser.addini("kvzero_corpus", "Corpus folders whose case files are collected.", type="paths", default=[])
    group = parser.getgroup("kvzero")
    group.addoption(
        "--kvzero-target", action="append", default=[], metavar="T", help="Also run corpus cases on this target."
    )
    group.addoption(
        "--kvzero-engine",
        default=None,
        choices=("cuda", "simulator", "interpreter"),
        help="Default: the best there is.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """A corpus that is named but missing or empty must not read as success."""
    config.stash[CHECKERS] = {}
    for folder in config.getini("kvzero_corpus"):
        if not any(path for name in FOLDERS for path in (folder / name).glob("*.json")):
            pytest.exit(f"kvzero_corpus={folder}: missing, or no case file in it", returncode=2)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the workers."""
    for checker in config.stash.get(CHECKERS, {}).values():
        checker.close()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect case files in the folders of a named corpus."""
    if file_path.suffix != ".json" or file_path.parent.name not in FOLDERS:
        return None
    if file_path.parent.parent not in parent.config.getini("kvzero_corpus"):
        return None
    return CaseFile.from_parent(parent, path=file_path)


class CaseFile(pytest.File):
    """One case file: an item for each target that it concerns."""

    def collect(self) -> Iterable[pytest.Item]:
        """An item a target; ``target@device`` where a find is named under another device's limits.

        An open find concerns only the targets that it names, and is expected to show.
        """
        from fuzz.built_in import built_in  # noqa: PLC0415
        from fuzz.codec import read  # noqa: PLC0415 - nothing heavy until a case is collected
        from fuzz.corpus import expected  # noqa: PLC0415

        case = read(self.path)
        finds = [(bucket.target, bucket.device_profile) for bucket in expected(case)]
        is_open = self.path.parent.name == OPEN_FINDS
        if not is_open:
            everywhere = [] if case.domain == "hostile" else built_in(case)
            asked = self.config.getoption("--kvzero-target")
            finds = [(target, USUAL_PROFILE) for target in (*everywhere, *asked)] + finds
        for target, profile in dict.fromkeys(finds):
            name = target if profile == USUAL_PROFILE else f"{target}@{profile}"
            item = CaseItem.from_parent(self, name=name, case=case, target=target, device_profile=profile)
            if is_open:
                item.add_marker(pytest.mark.xfail(reason="an open find", strict=True, raises=WrongVerdict))
            yield item


class CaseItem(pytest.Item):
    """One case on one target under one device's launch limits."""

    def __init__(self, *, case: Case, target: str, device_profile: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.case = case
        self.target = target
        self.device_profile = device_profile

    def runtest(self) -> None:
        """Pass if the target passes, or still shows just the find that the file names."""
        from fuzz.built_in import BUILT_IN  # noqa: PLC0415
        from fuzz.corpus import expected  # noqa: PLC0415
        from fuzz.errors import KvzeroError  # noqa: PLC0415
        from fuzz.reports.page_map import page_map  # noqa: PLC0415

        loaded = tuple(BUILT_IN) if self.target in BUILT_IN else (self.target,)
        try:
            verdict = _checker(self.config, loaded, self.device_profile).attempt(self.case, self.target)
        except KvzeroError as error:
            pytest.fail(str(error), pytrace=False)
        report = page_map(self.case, self.name, verdict)
        if verdict.outcome in ("unproved", "declined"):
            pytest.skip(f"{verdict.outcome}: {verdict.text}")
        if verdict.outcome == "infra":
            pytest.fail(report, pytrace=False)
        key = f"{self.target}@{self.device_profile}"
        named = [bucket.label for bucket in expected(self.case) if bucket.key == key]
        wanted = named[0] if named and self.path.parent.name != OPEN_FINDS else "passed"
        if verdict.label() != wanted:
            raise WrongVerdict(report, wanted, self.path)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """A wrong verdict in words; everything else as pytest shows it."""
        if isinstance(excinfo.value, WrongVerdict):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the item stands."""
        return self.path, None, f"{self.path.name} on {self.name}"


class WrongVerdict(Exception):  # noqa: N818 - a test failure
    """A case whose verdict is not the one that its file leads to expect."""

    def __init__(self, report: str, wanted: str, path: Path) -> None:
        super().__init__(f"expected: {wanted}\n{report}\nReproduce with: kvzero replay {path}")


@pytest.fixture
def kvzero_check(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Check a target: ``kvzero_check(target, corpus=None, seconds=0)``.

    ``target`` is a locator or a function ``zeroer(table, device)`` of an importable file; ``corpus``
    is a folder, by default the one that ships with kvzero; ``seconds`` of search follow its cases.
    The test fails with the report of the first find, or if no case could be proved.
    """

    def check(target: Any, corpus: Path | str | None = None, seconds: float = 0.0) -> None:
        from fuzz import checking  # noqa: PLC0415
        from fuzz.errors import KvzeroError  # noqa: PLC0415

        engine = request.config.getoption("--kvzero-engine")
        try:
            with closing(checking.Checker((checking.locator(target),), engine)) as checker:
                problem = checker.problem(Path(corpus) if corpus else None, seconds)
        except KvzeroError as error:
            problem = str(error)
        if problem:
            pytest.fail(problem, pytrace=False)

    return check


def _checker(config: pytest.Config, targets: tuple[str, ...], device_profile: str) -> Checker:
    """The process's checker with these targets loaded; started when it is first needed."""
    from fuzz.checking import Checker  # noqa: PLC0415

    engine = config.getoption("--kvzero-engine")
    if device_profile != USUAL_PROFILE:
        engine = "simulator"
    checkers = config.stash[CHECKERS]
    if (targets, device_profile) not in checkers:
        checkers[targets, device_profile] = Checker(targets, engine, device_profile)
    return checkers[targets, device_profile]
