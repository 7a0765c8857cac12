"""The baselines from the side of the process that measures: ask for a round, get its seconds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fuzz.answering import Answering, answering


class Baselines:
    """A process with a target loaded; made by :func:`baselines`."""

    def __init__(self, process: Answering) -> None:
        self._process = process

    def timed(self, driver: str, cases: int) -> tuple[float, float]:
        """Seconds of a round, and the mean bytes of its cases.

        Raises:
            EngineError: if a case is not right, or the process dies.
        """
        told = self._process.ask(f"{driver} {cases}")
        return told["seconds"], told["bytes"] / cases


@contextmanager
def baselines(target: str, engine: str) -> Iterator[Baselines]:
    """A process of baselines, ended with the block.

    Raises:
        KvzeroError: what is wrong with engine or target.
    """
    with answering("fuzz.bench.baselines", target, engine) as process:
        process.ready()
        yield Baselines(process)
