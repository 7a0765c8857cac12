"""Cases below compute-sanitizer: storages of their own, a tool that is faked, and what a gate makes of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from types import SimpleNamespace

import pytest
import torch

from fuzz import sanitizer
from fuzz.case import Call, Case, Segment
from fuzz.codec import encode
from fuzz.corpus import Entry
from fuzz.engines.simulator import register, simulated
from fuzz.errors import EngineError
from fuzz.gate.checks.sanitizing import SanitizeCheck
from fuzz.gate.reports.words import replay
from fuzz.ids import Ids
from fuzz.own_storages import FILL, laid, storages, unfit
from fuzz.verdict import Bucket, Verdict
from kvzero.zeroer import KVBlockZeroer

CPU = torch.device("cpu")


def _case(*segments: tuple[int, int, int, int], ids: int = 1) -> Case:
    """Segments of base, blocks, page, stride."""
    made = tuple(Segment(*one) for one in segments)
    return Case(domain="contract", guard=64, segments=made, calls=(Call("zero", Ids.of([ids])),))


def test_segments_that_share_bytes_share_a_storage() -> None:
    """Interleaved ones too; each storage ends with its last segment, and begins where bases keep their alignment."""
    case = _case((0, 4, 16, 64), (16, 4, 16, 64), (1040, 2, 8, 8), (2048, 2, 8, 8))
    assert [(one.start, one.stop) for one in storages(case)] == [(0, 272), (1024, 1056), (2048, 2064)]


def test_a_table_points_into_its_storages() -> None:
    """A right kernel clears its pages there and nothing else; equal segments come as often as they should."""
    case = _case((0, 4, 16, 64), (16, 4, 16, 64), (1040, 2, 8, 8))
    with simulated("h200"):
        table, memory = laid(case, CPU)
        for one in memory:
            register(one)
        KVBlockZeroer.of(table, CPU).zero_block_ids([1])
    expected = [torch.full((272,), FILL, dtype=torch.uint8), torch.full((32,), FILL, dtype=torch.uint8)]
    expected[0][64:96] = 0
    expected[1][24:32] = 0
    assert all(torch.equal(one, two) for one, two in zip(memory, expected, strict=True))
    twice = Case(domain="contract", guard=64, segments=(Segment(0, 2, 8, 8, times=3),), calls=case.calls)
    assert len(laid(twice, CPU)[0]) == 3


def test_near_neighbours_have_storages_of_their_own() -> None:
    """64 bytes apart, where both starts are rounded down to the same: each base lies in its own allocation."""
    table, memory = laid(_case((0, 4, 16, 16), (128, 4, 16, 16)), CPU)
    inside = [base - one.data_ptr() for base, one in zip(table.base, memory, strict=True)]
    assert (inside, [len(one) for one in memory]) == ([0, 128], [64, 192])


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (Case(domain="hostile", guard=64, segments=(Segment(0, 2, 8, 8),), calls=()), "hostile"),
        (Case(domain="contract", guard=64, calls=()), "only segments"),
        (_case((-8, 2, 8, 8)), "begins before its storage"),
        (_case((0, 2, 8, 2**27)), "are more than"),
    ],
)
def test_cases_that_cannot_be_laid_out_are_named(case: Case, words: str) -> None:
    """They are unproved, not passed."""
    assert words in unfit(case)
    assert unfit(_case((0, 2, 8, 8))) is None


TOOL = """#!{python}
import json, os, sys
from pathlib import Path
arguments = sys.argv[1:]
assert os.environ["PYTORCH_NO_CUDA_MEMORY_CACHING"] == "1"
assert arguments[:2] == ["--tool", "memcheck"]
log = Path(arguments[arguments.index("--log-file") + 1])
target = arguments[-1]
with open({calls!r}, "a") as calls:
    calls.write(target + "\\n")
if target == "broken":
    log.write_text("========= COMPUTE-SANITIZER\\n========= Error: no device\\n=========\\n")
    sys.exit(1)
if target == "nowhere":
    print(json.dumps({{"kind": "EngineError", "text": "engine=cuda: torch sees no CUDA device"}}), flush=True)
    sys.exit()
print(json.dumps({{"device": "a fake"}}), flush=True)
for line in sys.stdin:
    name = Path(line.strip()).stem
    if name == "vanishes":
        log.unlink(missing_ok=True)
        os._exit(1)
    if name == "unseen":
        log.write_text("========= Invalid __global__ read of size 1 bytes\\n")
    if name == "reads" and target != "right" or name == "dies":
        log.write_text("========= COMPUTE-SANITIZER\\n========= Invalid __global__ read of size 4 bytes\\n"
                       "=========     at clear+0x70 in k.py:7\\n=========     by thread (0,0,0)\\n")
        if name == "dies":
            os._exit(1)
        print(json.dumps({{"outcome": "faulted", "text": "unspecified launch failure"}}), flush=True)
    else:
        print(json.dumps({{"outcome": "declined" if name == "wide" else "passed", "text": ""}}), flush=True)
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """A tool on PATH that faults where a file's name says so; gives the targets that it was started for."""
    log = tmp_path / "calls"
    path = tmp_path / "bin" / "compute-sanitizer"
    path.parent.mkdir()
    path.write_text(TOOL.format(python=sys.executable, calls=str(log)))
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(path.parent), prepend=":")
    return lambda: log.read_text().split()


def _files(folder: Path, *names: str) -> list[Path]:
    for name in names:
        (folder / f"{name}.json").write_text(encode(_case((0, 4, 16, 64))))
    return [folder / f"{name}.json" for name in names]


def test_after_a_find_the_next_cases_run_in_a_new_process(tmp_path: Path, calls: Callable[[], list[str]]) -> None:
    """Each file has its verdict, with the tool's own words; a process that dies is a find only with the tool's word."""
    paths = _files(tmp_path, "fine", "reads", "wide", "dies", "vanishes", "last")
    seen = list(sanitizer.sanitized("new", paths, tmp_path / "log", lambda: 60.0))
    assert [one.path for one in seen] == paths
    labels = ["passed", "faulted:memory", "declined", "faulted:memory", "infra", "passed"]
    assert [one.verdict.label() for one in seen] == labels
    first = "compute-sanitizer: Invalid __global__ read of size 4 bytes; at clear+0x70 in k.py:7; by thread (0,0,0)"
    assert seen[1].verdict.text == first
    assert calls() == ["new", "new", "new", "new"]


def test_no_time_no_tool_and_no_gpu_are_said(tmp_path: Path, calls: Callable[[], list[str]], monkeypatch) -> None:
    """Without time nothing is started; a process that cannot run says why; a PATH without the tool is named."""
    paths = _files(tmp_path, "fine")
    assert list(sanitizer.sanitized("new", paths, tmp_path / "log", lambda: 0.0)) == []
    with pytest.raises(EngineError, match="torch sees no CUDA device"):
        list(sanitizer.sanitized("nowhere", paths, tmp_path / "log", lambda: 60.0))
    with pytest.raises(EngineError, match=r"the process ended.*compute-sanitizer: COMPUTE-SANITIZER; Error: no device"):
        list(sanitizer.sanitized("broken", paths, tmp_path / "log", lambda: 60.0))
    assert calls() == ["nowhere", "broken"]
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match="no compute-sanitizer on PATH"):
        sanitizer.tool()


def test_an_error_that_no_case_failed_of_is_no_pass(
    tmp_path: Path, calls: Callable[[], list[str]], kvzero: Callable[..., CompletedProcess[str]]
) -> None:
    """The tool's log is read after the last case, by a replay as well."""
    fine, unseen = _files(tmp_path, "fine", "unseen")
    with pytest.raises(EngineError, match="Invalid __global__ read of size 1 bytes; no case failed of it"):
        list(sanitizer.sanitized("new", [fine, unseen], tmp_path / "log", lambda: 60.0))
    sanitize = ("--target", "masked_grid", "--sanitize")
    shown = kvzero("replay", str(unseen), *sanitize)
    assert (shown.returncode, "Invalid __global__ read of size 1 bytes; no case failed" in shown.stderr) == (3, True)
    passed = kvzero("replay", str(fine), *sanitize)
    assert (passed.returncode, passed.stderr) == (0, f"{fine}: masked_grid@h200: passed\n")
    assert calls() == ["new", "masked_grid", "masked_grid"]


@pytest.mark.parametrize(
    ("base", "standing", "state"), [(None, "new", "failed"), ("right", "new", "failed"), ("old", "old", "passed")]
)
def test_what_the_base_shows_too_is_old(
    tmp_path: Path, calls: Callable[[], list[str]], base: str | None, standing: str, state: str
) -> None:
    """The base is asked only for what the target shows; the command that shows it again sanitizes."""
    paths = _files(tmp_path, "fine", "reads")
    events: list = []
    ground = SimpleNamespace(
        takes="table", target="new", waivers={},
        files=[Entry(path, "history", _case((0, 4, 16, 64))) for path in paths],
        request=SimpleNamespace(base=base), base=SimpleNamespace(trouble=None), tell=events.append,
        bucket=lambda verdict: Bucket("new", "h200", verdict.kind, verdict.detail),
    )  # fmt: skip
    check = SanitizeCheck(lambda name, some: sanitizer.sanitized(name, some, tmp_path / "log", lambda: 60.0))(ground)
    assert (check.state, check.counts) == (state, {"passed": 1, "finding": 1})
    (one,) = check.decided
    assert (one.standing, [event.decided for event in events]) == (standing, [one])
    assert replay(one, "new") == f"kvzero replay {paths[1]} --target new --sanitize"
    assert calls() == ["new", *([base] if base else [])]


def test_what_was_found_before_the_tool_failed_is_told(tmp_path: Path) -> None:
    """It blocks where there is no base; what failed then is trouble, be it before the first file or after the last."""
    paths = _files(tmp_path, "fine", "reads", "last")
    ground = SimpleNamespace(
        takes="table", target="new", waivers={},
        files=[Entry(path, "history", _case((0, 4, 16, 64))) for path in paths],
        request=SimpleNamespace(base=None), base=SimpleNamespace(trouble=None), tell=lambda event: None,
        bucket=lambda verdict: Bucket("new", "h200", verdict.kind, verdict.detail),
    )  # fmt: skip

    def failing(*verdicts: Verdict) -> Callable[..., Iterator[sanitizer.Seen]]:
        def sanitized(name: str, some: Sequence[Path]) -> Iterator[sanitizer.Seen]:
            for path, verdict in zip(some, verdicts, strict=False):
                yield sanitizer.Seen(path, verdict)
            raise EngineError("the device is gone")

        return sanitized

    fine, lost = Verdict("passed"), Verdict("finding", "faulted", "memory", lost=True)
    check = SanitizeCheck(failing(fine, lost))(ground)
    assert check.words == "cut short at 2 of 3 cases: 1 passed, 1 finding; the device is gone"
    assert (check.state, [one.standing for one in check.decided]) == ("failed", ["new"])
    for verdicts in ((), (fine, fine, fine)):
        check = SanitizeCheck(failing(*verdicts))(ground)
        assert (check.state, check.words.endswith("; the device is gone")) == ("trouble", True)


def test_a_check_without_time_for_all_is_cut_short(tmp_path: Path) -> None:
    """One of two files: no pass."""
    paths = _files(tmp_path, "fine", "last")
    ground = SimpleNamespace(
        takes="table", target="new", files=[Entry(path, "history", _case((0, 4, 16, 64))) for path in paths]
    )
    check = SanitizeCheck(lambda name, some: [sanitizer.Seen(some[0], Verdict("passed"))])(ground)
    assert (check.state, check.words) == ("cut short", "cut short at 1 of 2 cases: 1 passed")
