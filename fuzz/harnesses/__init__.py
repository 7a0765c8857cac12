"""Harnesses for Atheris: bytes in, and any exception that comes out is a find.

Each module named in ``NAMES`` has a function ``one(data, provider)`` that needs no Atheris; beside it
stands an executable ``fuzz_NAME.py``, which libFuzzer's own modes start again. Atheris sees the branches of
Python code, so it gets what is made of such: the case codec, the planner, the arithmetic of launches.
"""

from __future__ import annotations

NAMES = ("codec", "planner", "launches")

MORE_DAMAGES = 4
"""After the caches of the planner harness one damage more is drawn with four choices of five; here, because
whoever turns an artifact into a case must know it, and must not import torch."""


class Disagreement(Exception):  # noqa: N818 - an answer about the product, not a failure of the harness
    """What was checked does not do what it says; the text tells what, and where."""
