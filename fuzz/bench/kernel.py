"""How fast kernels clear pages: ours, upstream's and torch's beside each other on fixed geometries, in one run."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from math import exp, log
from statistics import fmean
from typing import Any

from fuzz.adapters.version import installed
from fuzz.answering import answering
from fuzz.bench.geometries import FIXED, Geometry
from fuzz.bench.machine import machine

BASE = "masked_grid"
"""What a speed-up counts from: today's upstream kernel."""

OURS = "chunk_list"
VLLM = "vllm_kernel"
EXCHANGED = "fuzz.bench.vllm_class:with_chunk_list"
"""The installed vLLM's class, as it is and with our kernel in place of its own."""

DASHES = "--"
"""Parts what must be timed from what is timed if it can be loaded, in the arguments of the process."""

ROUNDS = 20


def run(
    tell: Callable[[str], None],
    *,
    targets: Sequence[str] = (),
    geometries: Sequence[Geometry] = (),
    rounds: int = ROUNDS,
    module: str = "fuzz.bench.kernel_process",
) -> dict[str, Any]:
    """Measure, and give the rows; where vLLM is installed its class has two, and the report tells their ratio.

    Args:
        tell: told what is measured next.
        targets: zeroers beside the usual ones; the first is what the speed-up is of, ours if there is none.
        geometries: caches beside the fixed ones.
        rounds: how often each is timed, by turns.
        module: the process that times.

    Raises:
        KvzeroError: if there is no CUDA device, no room, or a zeroer is wrong.
    """
    vllm = installed()
    names = list(dict.fromkeys([*targets, OURS, BASE, "index_fill"]))
    wished = [name for name in (VLLM, EXCHANGED) if vllm and name not in names]
    rows: list[dict[str, Any]] = []
    with answering(module, str(rounds), *names, DASHES, *wished) as process:
        ready = process.ready()
        device, left_out = ready["device"], ready["left_out"]
        for name, words in left_out.items():
            tell(f"{name} is left out: {words}")
        names += [name for name in wished if name not in left_out]
        for geometry in (*FIXED, *geometries):
            tell(f"{geometry.name} on {device}: {len(names)} targets by turns, {rounds} times")
            rows += process.ask(json.dumps(geometry._asdict()))
    report = {
        "bench": "kernel",
        "machine": machine() | {"device": device},
        "rounds": rounds,
        "rows": rows,
        "speedup": speedup(rows, names[0]),
    }
    if vllm:
        report |= {"vllm": vllm, "left_out": left_out}
    if {VLLM, EXCHANGED} <= set(names):
        report["speedup_in_vllm"] = speedup(rows, EXCHANGED, VLLM)
    return report


def speedup(rows: Sequence[dict[str, Any]], target: str, base: str = BASE) -> float:
    """How many times as fast as the base a target is: the geometric mean over all geometries."""
    rates = {(row["geometry"], row["target"]): row["gb_per_second"] for row in rows}
    ratios = [rate / rates[geometry, base] for (geometry, name), rate in rates.items() if name == target]
    return round(exp(fmean(map(log, ratios))), 3)
