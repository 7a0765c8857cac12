"""Runs a harness under Atheris, in the process at hand, until libFuzzer ends it."""

from __future__ import annotations

import importlib
import sys

INSTRUMENTED = ["fuzz", "kvzero", "oracles"]
"""Packages whose branches are counted: ours, and nothing of torch or Triton."""


def loop(name: str) -> None:
    """Hand the harness ``name`` to Atheris, with the command line as libFuzzer's; does not come back."""
    atheris = importlib.import_module("atheris")  # by name: it is an extra, and mypy need not have it
    with atheris.instrument_imports(include=INSTRUMENTED):
        one = importlib.import_module(f"fuzz.harnesses.{name}").one
    atheris.Setup(sys.argv, lambda data: one(data, atheris.FuzzedDataProvider))
    atheris.Fuzz()
