"""What watches torch's operators, and what it must not load: torch's compiler takes a second of each worker's start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CLOCK = """
import torch
from fuzz.bench.first_work import FirstWork
with FirstWork(lambda: print("saw it")): torch.zeros(1, device="meta")
"""

WORKER = """
import sys
from fuzz import messages
from fuzz.worker import Worker
worker = Worker(messages.Open(("chunk_list",), "simulator", None, sys.argv[1]))
done = worker.batch(messages.Batch(1, ("small",), worker.opened.units["chunk_list"], 0, 1, 60.0), print)
assert worker._made.warmup  # it ran, below a mode
print("saw it" if done.counts == {"passed": 1} else done)
"""


@pytest.mark.parametrize("script", [CLOCK, WORKER])
def test_watching_operators_does_not_load_torchs_compiler(tmp_path: Path, script: str) -> None:
    """In the clock of a call, and in a worker's first case, whose warm-up's allocations are seen."""
    whole = script + "import sys\nprint('torch._dynamo' in sys.modules)\n"
    command = [sys.executable, "-c", whole, str(tmp_path / "slot")]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert run.stdout.splitlines() == ["saw it", "False"]
