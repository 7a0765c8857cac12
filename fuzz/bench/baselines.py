"""The process that runs the baselines: it imports torch, so that the one that measures need not.

``python -m fuzz.bench.baselines TARGET ENGINE`` answers each line ``DRIVER CASES`` with a line of JSON:
``{"seconds", "bytes"}``, or ``{"kind", "text"}`` of an error. The first line, an empty object, says
that it is ready.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import partial

from fuzz.answering import answered
from fuzz.engines.choosing import choose


def drivers(target: str, engine: str) -> dict[str, Callable[[int], int]]:
    """By name what checks so many cases and gives their bytes.

    Raises:
        KvzeroError: what is wrong with engine or target.
    """
    chosen = choose(engine, None)
    from fuzz.bench.by_hypothesis import examples  # noqa: PLC0415 - torch only after the engine chose its mode
    from fuzz.bench.naive import Loop  # noqa: PLC0415
    from fuzz.loading import load  # noqa: PLC0415

    loop = Loop(load(target), chosen)
    return {"naive": loop.first, "given": partial(examples, loop)}


def timing(target: str, engine: str) -> tuple[dict[str, object], Callable[[str], dict[str, float]]]:
    """Ready to run rounds: nothing to say first, and what runs one."""
    known = drivers(target, engine)

    def timed(line: str) -> dict[str, float]:
        name, cases = line.split()
        begun = time.perf_counter()
        size = known[name](int(cases))
        return {"seconds": time.perf_counter() - begun, "bytes": size}

    return {}, timed


if __name__ == "__main__":
    answered(lambda: timing(*sys.argv[1:]))
    os._exit(0)  # a device that was lost makes an orderly exit hang
