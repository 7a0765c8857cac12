"""The process that times kernels: it imports torch, so that the one that reports need not.

``python -m fuzz.bench.kernel_process ROUNDS TARGET...`` answers each line, a geometry as JSON, with a line of
JSON: its rows. The first line, an object with the device's name, says that it is ready.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch

from fuzz.answering import answered
from fuzz.bench.event_clock import EventClock
from fuzz.bench.geometries import Geometry
from fuzz.engines.choosing import choose


def timing(rounds: int, targets: list[str]) -> tuple[dict[str, Any], Callable[[str], Any]]:
    """Ready to time targets on the CUDA device: its name, and what gives a geometry's rows.

    Raises:
        KvzeroError: what is wrong with device or targets.
    """
    engine = choose("cuda", None)
    from fuzz.bench.pace import measured  # noqa: PLC0415 - torch and Triton only after the engine chose its mode
    from fuzz.targets import load  # noqa: PLC0415

    makers = {name: load(name).make for name in targets}

    def rows(line: str) -> list[dict[str, Any]]:
        fields = json.loads(line)
        geometry = Geometry(fields["name"], tuple(fields["pages"]), fields["blocks"], fields["ids"])
        made = measured(geometry, makers, engine.device, EventClock(), rounds, lambda _memory: nullcontext())
        torch.cuda.empty_cache()
        return made

    return {"device": engine.device_name}, rows


if __name__ == "__main__":
    answered(lambda: timing(int(sys.argv[1]), sys.argv[2:]))
    os._exit(0)  # a device that was lost makes an orderly exit hang
