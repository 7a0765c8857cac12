"""Times target against base in a process of its own, which loads both while other checks run."""

from __future__ import annotations

import threading
from pathlib import Path

from fuzz.answering import Answering
from fuzz.bench.pair import Pair

DRIVER = Path("/dev/nvidiactl")
"""There where a CUDA driver is: whether it has a device is known only when torch is loaded."""


class Stopwatch:
    """The process, started when it is first needed, or as soon as it surely will be.

    Args:
        target: locator.
        base: locator.
        module: what is run.
    """

    def __init__(self, target: str, base: str, module: str = "fuzz.gate.cost_process") -> None:
        self._arguments = (target, base)
        self._module = module
        self._process: Answering | None = None

    def start(self) -> Answering:
        """Let it load."""
        if self._process is None:
            self._process = Answering(self._module, self._arguments)
        return self._process

    def pairs(self, seconds: float) -> tuple[list[Pair], list[str], list[str]]:
        """A pair for each geometry; names of those that the target clears wrongly; what could not be timed, in words.

        Raises:
            KvzeroError: what is wrong with device or targets, or that so many seconds were over first.
        """
        process = self.start()
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        found: list[Pair] = []
        wrong: list[str] = []
        missing: list[str] = []
        try:
            for name in process.ready()["geometries"]:
                told = process.ask(name)
                if told is None:
                    wrong.append(name)
                elif "missing" in told:
                    missing.append(told["missing"])
                else:
                    found.append(Pair(**told))
        finally:
            timer.cancel()
        return found, wrong, missing

    def close(self) -> None:
        """End the process."""
        if self._process:
            self._process.close()
