"""Runs a harness under Atheris, in the process at hand, until libFuzzer ends it."""

from __future__ import annotations

import importlib
import sys

INSTRUMENTED = ["fuzz", "kvzero", "oracles"]
"""Packages whose branches are counted: ours, and nothing of torch or Triton."""

LEFT_OUT = ["kvzero.chunks", "kvzero.generations.page_buckets", "kvzero.generations.uniform_page"]
"""Modules that compare whole arrays. Atheris 3.0 never frees what a comparison gave: 10 KB an input, which ends a run
of minutes for want of memory."""


def loop(name: str) -> None:
    """Hand the harness ``name`` to Atheris, with the command line as libFuzzer's; does not come back."""
    atheris = importlib.import_module("atheris")  # by name: it is an extra, and mypy need not have it
    with atheris.instrument_imports(include=INSTRUMENTED, exclude=LEFT_OUT):
        one = importlib.import_module(f"fuzz.harnesses.{name}").one
    atheris.Setup(sys.argv, lambda data: one(data, atheris.FuzzedDataProvider))
    atheris.Fuzz()
