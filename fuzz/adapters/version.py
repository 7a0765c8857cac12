"""Which vLLM an import would give, told without importing it: that takes seconds, and torch."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

TRIED = "0.33.0"
"""The version that the adapters were written against."""

UNKNOWN = "of unknown version"


def installed() -> str | None:
    """Version and folder of the vLLM that a worker would import, or None where there is none."""
    folder = _folder()
    return None if folder is None else f"{_version(folder)}, {folder}"


def in_words() -> str:
    """The same, with a word for its absence."""
    return installed() or "not installed"


def _folder() -> Path | None:
    """Where it lies: a worker looks in the folder that the user stands in first."""
    spec: ModuleSpec | None = PathFinder.find_spec("vllm", [str(Path.cwd())])
    if spec is None or spec.origin is None:
        spec = importlib.util.find_spec("vllm")
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def _version(folder: Path) -> str:
    """As its build wrote it down, or as its distribution says; a checkout that was never built knows neither."""
    written = folder / "_version.py"
    if written.is_file():
        found = re.search(r"^__version__\b[^'\"\n]*['\"]([^'\"]+)['\"]", written.read_text(), re.MULTILINE)
        if found:
            return found[1]
    try:
        distribution = importlib.metadata.distribution("vllm")
    except importlib.metadata.PackageNotFoundError:
        return UNKNOWN
    return distribution.version if Path(str(distribution.locate_file("vllm"))) == folder else UNKNOWN
