"""Mutants: our own kernels and planner with one small fault each, made by machine.

A mutant is found by its name as a target: ``--target fuzz.bench.mutants:masked_grid/mask-dropped/1``.
"""

from __future__ import annotations

from typing import Any

from fuzz.bench.mutants.making import every


def __getattr__(name: str) -> Any:
    mutant = every().get(name) if "/" in name else None
    if mutant is None:
        raise AttributeError(f"module {__name__} has no mutant {name}")
    from fuzz.bench.mutants.loading import zeroer_of  # noqa: PLC0415 - needs torch

    return zeroer_of(mutant)
