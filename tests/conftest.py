"""What tests share: the command line as a user runs it, and plain cases."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
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


def planted(name: str) -> str:
    """The locator of a planted target."""
    return f"{PLANTED}:{name}"
