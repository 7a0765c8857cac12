"""Gates on a GPU: what only one can say, from cost to memory; skipped with the reason where there is none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from tests.conftest import ROOT, planted

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")

COSTS = ROOT / "tests" / "planted_cost.py"
HISTORY = ROOT / "corpus" / "history"
ON_MASKED_GRID = ("--base", "masked_grid", "--engine", "cuda", "--json")


def test_our_kernel_passes_and_its_receipt_holds_without_a_gpu(kvzero: Callable, tmp_path: Path) -> None:
    """Yes, with today's gaps named as fixed and a record that a gate on the simulator accepts, of this target alone."""
    run = kvzero("gate", "--target", "chunk_list", *ON_MASKED_GRID, "--seconds", "120", "--receipt", "receipt.json")
    report = json.loads(run.stdout)
    assert (run.returncode, report["line"]) == (0, "gate: yes"), run.stderr
    checks = {check["name"]: check for check in report["checks"]}
    assert {checks[name]["state"] for name in ("corpus", "exhaustive", "search", "order")} == {"passed"}
    assert "rejected:launch-y" in checks["fixed"]["words"]
    assert "skipped:product" in checks["fixed"]["words"]
    assert json.loads((tmp_path / "receipt.json").read_text())["verdict"] == "yes"
    shown = ("--check-receipt", "receipt.json", "--engine", "simulator", "--corpus-only", "--seconds", "200")
    for target, held in (("chunk_list", "passed"), ("index_fill", "failed")):
        run = kvzero("gate", "--target", target, "--base", "masked_grid", "--json", *shown)
        assert [one["state"] for one in json.loads(run.stdout)["checks"] if one["name"] == "receipt"] == [held]


@pytest.mark.parametrize(("name", "exit_code"), [("five_per_cent", 1), ("one_per_cent", 0)])
def test_a_slowdown_is_refused_beyond_the_limit(kvzero: Callable, name: str, exit_code: int) -> None:
    """What writes a twentieth more is refused at three per cent, what writes a hundredth more is not."""
    asked = ("--target", f"{COSTS}:{name}", "--base", "chunk_list", "--engine", "cuda", "--cost-limit", "3")
    run = kvzero("gate", *asked, "--seconds", "120", "--json")
    report = json.loads(run.stdout)
    assert run.returncode == exit_code, report["line"]
    (cost,) = [check for check in report["checks"] if check["name"] == "cost"]
    assert cost["state"] == ("failed" if exit_code else "passed"), cost["words"]


@pytest.mark.skipif(not shutil.which("compute-sanitizer"), reason="no compute-sanitizer on PATH")
@pytest.mark.parametrize(("name", "exit_code"), [("reads_behind", 1), ("right", 0)])
def test_a_stray_read_is_seen_below_the_sanitizer(kvzero: Callable, name: str, exit_code: int) -> None:
    """Nobody else sees it: the byte behind the cache is a guard zone's, and nothing is written there."""
    (case,) = HISTORY.glob("a-page-cleared-as-wide-as-its-block-stride-????????.json")
    common = ("replay", str(case), "--target", planted(name), "--engine", "cuda")
    assert kvzero(*common).returncode == 0
    run = kvzero(*common, "--sanitize")
    assert run.returncode == exit_code, run.stderr
    assert ("faulted:memory" in run.stderr + run.stdout) == bool(exit_code)
