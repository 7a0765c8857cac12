"""``kvzero fuzz --harness NAME``: seeds from the corpus, Atheris in a process of its own, its finds into the corpus."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
import tempfile
import time
from pathlib import Path

from fuzz.control import Control
from fuzz.errors import EngineError, UsageError
from fuzz.events import Subscriber, Warned
from fuzz.harnesses import NAMES, artifacts, libfuzzer
from fuzz.harnesses.seeds import dictionary, seeds
from fuzz.reports.terminal import Terminal

INPUTS = ".atheris"
"""Folder of the corpus that holds the inputs which evolve, by harness."""

MOST_INPUTS = 2000
"""Inputs that are kept from run to run, the shortest: of two that reach the same, libFuzzer prefers it, too."""

BETWEEN_LINES = 10.0
FOUND = ("crash-", "timeout-", "oom-", "leak-")
"""What libFuzzer calls the inputs of finds; others are merely slow."""


def run(name: str, seconds: float, corpus: Path, *, seed: int | None, as_json: bool, quiet: bool) -> int:
    """Run a harness and report; gives the exit code: 0 clean, 1 for a find.

    A run ends at its first find, as libFuzzer's do: what comes after it would mostly be the same again.

    Raises:
        UsageError: if there is no such harness, or no Atheris.
        EngineError: if Atheris ended without a find and without having run anything.
        OSError: if the corpus cannot be written.
    """
    _check(name)
    inputs = corpus / INPUTS / name
    inputs.mkdir(parents=True, exist_ok=True)
    control, begun = Control(None, None, stop_on_find=True), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kvzero-") as passing, control.signals():
        folders = libfuzzer.Folders(inputs, Path(passing, "seeds"), Path(passing, "artifacts"), Path(passing, "words"))
        _prepare(name, corpus, folders)
        seen, code = libfuzzer.run(name, folders, seconds, seed, control, _Lines(name, quiet=quiet))
        lasted = time.monotonic() - begun
        _bound(inputs)
        finds = _keep(name, folders, seen, corpus, control, Terminal(quiet=quiet))
    if not finds and (not seen.executions or (code and not control.interrupted)):
        raise EngineError(f"harness={name!r}: ended with {code} and no find; its last words:\n{seen.last_words()}")
    numbers = {
        "harness": name,
        "executions": seen.executions,
        "execs_per_second": seen.rate or round(seen.executions / lasted),
        "edges": seen.edges,
        "inputs": len(list(inputs.iterdir())),
        "seconds": round(lasted, 1),
        "finds": [str(path) for path in finds],
    }
    if as_json:
        sys.stdout.write(json.dumps(numbers, indent=2) + "\n")
    sys.stderr.write(_ending(numbers))
    return 1 if finds else 0


def _check(name: str) -> None:
    if name not in NAMES:
        raise UsageError(f"harness={name!r}: must be one of {', '.join(NAMES)}")
    if importlib.util.find_spec("atheris") is None:
        raise UsageError(
            f"harness={name!r}: needs Atheris, which is not installed; "
            "install it with: pip install -c constraints.txt -e '.[atheris]'"
        )


def _prepare(name: str, corpus: Path, folders: libfuzzer.Folders) -> None:
    folders.seeds.mkdir()
    folders.artifacts.mkdir()
    if name == "codec":
        folders.words.write_text(dictionary())
    for seed in seeds(name, corpus):
        (folders.seeds / hashlib.sha256(seed).hexdigest()).write_bytes(seed)


def _bound(inputs: Path) -> None:
    """Delete the longest inputs beyond the number that is kept."""
    by_length = sorted(inputs.iterdir(), key=lambda path: (path.stat().st_size, path.name))
    for path in by_length[MOST_INPUTS:]:
        path.unlink()


def _keep(
    name: str, folders: libfuzzer.Folders, seen: libfuzzer.Seen, corpus: Path, control: Control, tell: Subscriber
) -> list[Path]:
    found = [path for path in sorted(folders.artifacts.iterdir()) if path.name.startswith(FOUND)]
    kept = []
    for path in found:
        words = seen.last_words()
        tell(Warned(f"harness {name}: {path.name.partition('-')[0]}\n{words}"))
        kept += artifacts.keep(name, path.read_bytes(), words, corpus, control, tell)
    return kept


def _ending(numbers: dict[str, object]) -> str:
    words = (
        "harness {harness}: {executions:,} executions in {seconds} s, {execs_per_second:,}/s · {edges} edges · "
        "{inputs} inputs kept"
    ).format_map(numbers)
    paths = numbers["finds"]
    lines = "".join(f"\nfind: {path}" for path in paths) if isinstance(paths, list) else ""
    return f"{words}{lines or ' · no find'}\n"


class _Lines:
    """A line of progress now and then."""

    def __init__(self, name: str, *, quiet: bool) -> None:
        self._name = name
        self._quiet = quiet
        self._last = time.monotonic()

    def __call__(self, seen: libfuzzer.Seen) -> None:
        if self._quiet or time.monotonic() - self._last < BETWEEN_LINES:
            return
        self._last = time.monotonic()
        sys.stderr.write(f"harness {self._name}: {seen.executions:,} executions · {seen.edges} edges\n")
