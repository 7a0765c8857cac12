"""The process that runs the baselines: it imports torch, so that the one that measures need not.

``python -m fuzz.bench.baselines TARGET ENGINE`` answers each line ``DRIVER CASES`` with a line of JSON:
``{"seconds", "bytes"}``, or ``{"kind", "text"}`` of an error. The first line, an empty object, says
that it is ready.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial

from fuzz.engines.choosing import choose
from fuzz.errors import KvzeroError


def drivers(target: str, engine: str) -> dict[str, Callable[[int], int]]:
    """By name what checks so many cases and gives their bytes.

    Raises:
        KvzeroError: what is wrong with engine or target.
    """
    chosen = choose(engine, None)
    from fuzz.bench.by_hypothesis import examples  # noqa: PLC0415 - torch only after the engine chose its mode
    from fuzz.bench.naive import Loop  # noqa: PLC0415
    from fuzz.targets import load  # noqa: PLC0415

    loop = Loop(load(target), chosen)
    return {"naive": loop.first, "given": partial(examples, loop)}


def main(target: str, engine: str) -> None:
    """Answer until standard input is closed."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)  # what a target prints is no answer

        def answer(values: dict[str, object]) -> None:
            answers.write(json.dumps(values) + "\n")
            answers.flush()

        try:
            known = drivers(target, engine)
            answer({})
            for line in sys.stdin:
                name, cases = line.split()
                begun = time.perf_counter()
                size = known[name](int(cases))
                answer({"seconds": time.perf_counter() - begun, "bytes": size})
        except KvzeroError as error:
            answer({"kind": type(error).__name__, "text": str(error)})
        except Exception:
            answer({"kind": "EngineError", "text": traceback.format_exc(limit=-3)})


if __name__ == "__main__":
    main(*sys.argv[1:])
    os._exit(0)  # a device that was lost makes an orderly exit hang
