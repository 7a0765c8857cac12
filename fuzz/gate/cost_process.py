"""The process that times a target against its base: it imports torch, so that the gate need not.

``python -m fuzz.gate.cost_process TARGET BASE`` says first which fixed geometries both take. It answers each line, the
name of one, with a line of JSON: the fields of a pair, or null if the target clears the geometry wrongly.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from fuzz.answering import answered
from fuzz.bench.event_clock import EventClock
from fuzz.bench.geometries import FIXED
from fuzz.bench.pair import fits
from fuzz.engines.choosing import choose
from fuzz.errors import EngineError


def timing(target: str, base: str) -> tuple[dict[str, Any], Callable[[str], Any]]:
    """Ready to time two targets on the CUDA device.

    Raises:
        KvzeroError: what is wrong with device or targets.
    """
    engine = choose("cuda", None)
    from fuzz.bench.by_turns import paired  # noqa: PLC0415 - torch and Triton only after the engine chose its mode
    from fuzz.loading import load  # noqa: PLC0415

    new, old = load(target), load(base)
    taken = {one.name: one for one in FIXED if fits(new.limits, one) and fits(old.limits, one)}

    def respond(line: str) -> Any:
        geometry = taken[line.strip()]
        try:
            pair = paired(geometry, (new.make, old.make), engine.device, EventClock(), lambda _memory: nullcontext())
        except EngineError as error:
            return {"missing": str(error)}
        return pair._asdict() if pair else None

    return {"geometries": list(taken)}, respond


if __name__ == "__main__":
    answered(lambda: timing(sys.argv[1], sys.argv[2]))
    os._exit(0)  # a device that was lost makes an orderly exit hang
