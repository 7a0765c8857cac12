"""The process that runs cases below compute-sanitizer.

``python -m fuzz.sanitized_process TARGET`` answers each line, a case file, with a line of JSON: outcome and words.
After a fault the device is lost, and the process of no more use.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from fuzz.answering import answered
from fuzz.codec import read
from fuzz.engines.choosing import choose
from fuzz.own_storages import laid, unfit
from fuzz.verdict import in_words


def checking(locator: str) -> tuple[dict[str, Any], Callable[[str], Any]]:
    """Ready to run cases on the CUDA device.

    Raises:
        KvzeroError: what is wrong with device or target.
    """
    engine = choose("cuda", None)
    from fuzz.loading import load  # noqa: PLC0415
    from fuzz.run import declined  # noqa: PLC0415 - torch and Triton only after the engine chose its mode

    target = load(locator)

    def respond(line: str) -> dict[str, str]:
        case = read(Path(line.strip()))
        reason = unfit(case)
        if reason:
            return {"outcome": "unproved", "text": reason}
        reason = declined(case, target)
        if reason:
            return {"outcome": "declined", "text": reason}
        try:
            table, memory = laid(case, engine.device)
            zero = target.make(table, engine.device)
            for call in case.calls:
                zero(call.arguments())
                torch.cuda.synchronize()
            memory.clear()
        except Exception as error:
            fault = engine.fault()
            if fault:
                return {"outcome": "faulted", "text": in_words(error)}
            return {"outcome": "raised", "text": in_words(error)}
        return {"outcome": "passed", "text": ""}

    return {"device": engine.device_name}, respond


if __name__ == "__main__":
    answered(lambda: checking(sys.argv[1]))
    os._exit(0)  # a device that was lost makes an orderly exit hang
