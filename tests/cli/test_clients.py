"""vLLM as a target, on a stand-in: found, named, searched, exported; its absence and its faults in words."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fuzz import codec
from fuzz.built_in import BUILT_IN
from fuzz.locators import CLIENTS
from tests.conftest import ROOT
from tests.unit.test_codec import TEXT

FAKES = ROOT / "tests" / "fakes"
UTILS = Path("vllm", "v1", "worker", "utils.py")
FAULT = ("tl.program_id(0)) * stride", "tl.program_id(0)) * page")
"""Page taken for stride, as in upstream's first versions (vllm#50276)."""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on PYTHONPATH that holds a vLLM, as a checkout would."""
    folder = tmp_path / "checkout"
    shutil.copytree(FAKES, folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), str(ROOT)]))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    return folder


def _changed(checkout: Path, file: Path, *replaced: tuple[str, str]) -> None:
    text = (checkout / file).read_text()
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    (checkout / file).write_text(text)


def test_the_version_is_shown_where_it_is_installed(kvzero: Callable, checkout: Path) -> None:
    """Both targets and doctor name the version and the folder that a worker would import."""
    words = f"9.8.7, {checkout / 'vllm'}"
    listing = kvzero("targets").stdout.splitlines()
    assert [line.split()[0] for line in listing if line.endswith(words)] == list(CLIENTS)
    assert f"vllm: {words}\n" in kvzero("doctor").stdout


def test_a_checkout_that_was_never_built_is_of_unknown_version(kvzero: Callable, checkout: Path) -> None:
    """Without a file that names it, no other vLLM's version is shown in its place."""
    (checkout / "vllm" / "_version.py").unlink()
    assert f"of unknown version, {checkout / 'vllm'}" in kvzero("targets").stdout


def test_the_folder_one_stands_in_comes_first(
    kvzero: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a checkout's folder no PYTHONPATH is needed: a worker imports from there."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    assert "vllm: not installed" in kvzero("doctor").stdout
    shutil.copytree(FAKES / "vllm", tmp_path / "vllm")
    assert f"vllm: 9.8.7, {tmp_path / 'vllm'}" in kvzero("doctor").stdout


def test_a_missing_vllm_is_wrong_usage(kvzero: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit 2, with the words that install it."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    run = kvzero("fuzz", "--target", "vllm_kernel", "--cases", "1", "--engine", "simulator")
    assert run.returncode == 2, run.stderr
    assert "target='vllm_kernel': vllm is not installed; run: pip install --no-deps vllm==" in run.stderr


@pytest.mark.parametrize(
    ("file", "replaced", "words"),
    [
        (UTILS, ("import os", "import no_such_package"), "9.8.7, {folder}: imports no_such_package, which is not"),
        (UTILS, ("from vllm.utils.torch", "from vllm.utils.gone"), "{folder}: has no vllm.utils.gone"),
        (UTILS, ("import os", "import os\n1 / 0"), "importing it raised ZeroDivisionError"),
        (UTILS, ("class KVBlockZeroer", "class Other"), "making its KVBlockZeroer raised AttributeError"),
        (UTILS, ("context, num_blocks, runner", "context, runner"), "making its KVBlockZeroer raised TypeError"),
        (UTILS, ("@triton.jit\n", ""), "its _zero_kv_blocks_kernel is no Triton kernel"),
        (UTILS, ("                width,\n", ""), "its KVBlockZeroer keeps [torch.uint64, torch.int64, torch.int64, "),
    ],
)
def test_a_vllm_that_cannot_be_used_is_wrong_usage(
    kvzero: Callable, checkout: Path, file: Path, replaced: tuple[str, str], words: str
) -> None:
    """A missing dependency or another form of the class ends with 2 and says which vLLM it was."""
    _changed(checkout, file, replaced)
    run = kvzero("fuzz", "--target", "vllm_kernel", "--cases", "1", "--engine", "simulator")
    assert run.returncode == 2, run.stderr
    assert words.format(folder=checkout / "vllm") in run.stderr
    assert "Traceback" not in run.stderr


def test_a_right_kernel_passes(kvzero: Callable, checkout: Path) -> None:
    """The stand-in as it is passes a search of small and far cases, on memory and on addresses without it."""
    run = kvzero("fuzz", "--target", "vllm_kernel", "--profile", "small", "--profile", "far", "--cases", "60",
                 "--seed", "1", "--corpus", "c", "--engine", "simulator", "--json")  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["passed"] > 40


def test_a_planted_fault_is_found_and_exported(kvzero: Callable, checkout: Path, tmp_path: Path) -> None:
    """Page for stride is found through vllm_kernel; its export shows it with vLLM and without kvzero."""
    _changed(checkout, UTILS, FAULT)
    run = kvzero("fuzz", "--target", "vllm_kernel", "--profile", "small", "--seed", "1", "--stop-on-find",
                 "--corpus", "c", "--engine", "simulator", "--json")  # fmt: skip
    assert run.returncode == 1, run.stderr
    (bucket, path), *_ = [(find["bucket"], find["case"]) for find in json.loads(run.stdout)["finds"]]
    assert bucket.startswith("vllm_kernel@h200 ")
    assert kvzero("export", path, "-o", "script.py").returncode == 0
    text = (tmp_path / "script.py").read_text()
    assert "kvzero.segments" not in text
    assert "fuzz" not in text
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(checkout)},
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert f"vllm 9.8.7: {checkout / UTILS}" in done.stdout
    assert "bytes are wrong on cpu" in done.stdout


def test_in_the_corpus_vllm_is_a_stranger(kvzero: Callable, tmp_path: Path) -> None:
    """What it shows depends on what is installed: no kept file may name it, and pytest does not replay it."""
    assert not CLIENTS.keys() & BUILT_IN.keys()
    (tmp_path / "c" / "history").mkdir(parents=True)
    case = codec.decode(TEXT.replace("page_table@h200", "vllm_kernel@h200"))
    (tmp_path / "c" / "history" / codec.file_name(case)).write_text(codec.encode(case))
    run = kvzero("corpus", "check", "--corpus", "c")
    assert run.returncode == 2
    assert "finds names vllm_kernel, which is not built in" in run.stderr
