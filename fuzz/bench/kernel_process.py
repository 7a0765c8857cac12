"""The process that times kernels: it imports torch, so that the one that reports need not.

``python -m fuzz.bench.kernel_process ROUNDS TARGET... -- TARGET...`` answers each line, a geometry as JSON, with a
line of JSON: its rows. The first line says that it is ready: an object with the device's name, and why targets behind
the dashes are left out, if they cannot be loaded; without the others there is nothing to compare.
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
from fuzz.bench.kernel import DASHES
from fuzz.engines.choosing import choose
from fuzz.errors import UsageError


def timing(rounds: int, targets: list[str]) -> tuple[dict[str, Any], Callable[[str], Any]]:
    """Ready to time targets on the CUDA device: its name with what is left out, and what gives a geometry's rows.

    Raises:
        KvzeroError: what is wrong with device or targets.
    """
    engine = choose("cuda", None)
    from fuzz.bench.pace import measured  # noqa: PLC0415 - torch and Triton only after the engine chose its mode
    from fuzz.loading import load  # noqa: PLC0415

    at = targets.index(DASHES)
    makers = {name: load(name).make for name in targets[:at]}
    left_out: dict[str, str] = {}
    for name in targets[at + 1 :]:
        try:
            makers[name] = load(name).make
        except UsageError as error:
            left_out[name] = str(error)

    def rows(line: str) -> list[dict[str, Any]]:
        fields = json.loads(line)
        geometry = Geometry(fields["name"], tuple(fields["pages"]), fields["blocks"], fields["ids"])
        made = measured(geometry, makers, engine.device, EventClock(), rounds, lambda _memory: nullcontext())
        torch.cuda.empty_cache()
        return made

    return {"device": engine.device_name, "left_out": left_out}, rows


if __name__ == "__main__":
    answered(lambda: timing(int(sys.argv[1]), sys.argv[2:]))
    os._exit(0)  # a device that was lost makes an orderly exit hang
