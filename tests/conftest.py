"""What tests share: the command line as a user runs it, and plain cases."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PLANTED = Path(__file__).parent / "planted.py"


@pytest.fixture
def kvzero(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run ``kvzero`` in an empty folder, the interpreter as its engine; gives exit code and texts."""

    def run(*arguments: str, timeout: float = 200.0) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "fuzz", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run


@pytest.fixture
def vllm_stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The stand-in is what ``import vllm`` finds, for one test in this process."""
    from fuzz.adapters import vllm

    monkeypatch.syspath_prepend(str(ROOT / "tests" / "fakes"))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    vllm.package.cache_clear()
    yield
    vllm.package.cache_clear()
    for name in [name for name in sys.modules if name.split(".")[0] == "vllm"]:
        del sys.modules[name]


def planted(name: str) -> str:
    """The locator of a planted target."""
    return f"{PLANTED}:{name}"
