"""The process that runs targets: it alone imports torch, and it alone dies of what they do.

Started as ``python -m fuzz.worker FD``, it answers requests on that socket until it is closed.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from msgspec.structs import replace

from fuzz import messages
from fuzz.engines.choosing import choose
from fuzz.errors import KvzeroError
from fuzz.flight import InFlight
from fuzz.grids import SEEN
from fuzz.target import SAYS

PR_SET_PDEATHSIG = 1

THRESHOLDS = (50_000, 20, 100)
"""Objects between collections of garbage: a case makes hundreds, hardly any of them in a cycle, and each full
collection looks at all of torch."""


class Worker:
    """Engine and targets of one process."""

    def __init__(self, request: messages.Open) -> None:
        engine = choose(request.engine, request.device_profile)
        from fuzz.attempts import Attempts  # noqa: PLC0415 - torch only after the engine chose its mode
        from fuzz.engines.launch_hook import compile_keys  # noqa: PLC0415
        from fuzz.loading import load  # noqa: PLC0415
        from fuzz.search import Search  # noqa: PLC0415
        from fuzz.warming import MADE  # noqa: PLC0415

        targets = {name: load(name) for name in request.targets}
        self._attempts = Attempts(engine, targets, Path(request.slot))
        self._search = Search(self._attempts)
        self._compile_keys = compile_keys
        self._made = MADE
        self.opened = messages.Opened(
            engine.name,
            engine.device_name,
            engine.device_profile,
            {name: target.limits.unit for name, target in targets.items()},
            {name: target.takes for name, target in targets.items()},
            engine.gpus,
            {name: target.limits for name, target in targets.items()},
            {name: target.content for name, target in targets.items()},
            {name: tuple(map(str, target.files)) for name, target in targets.items()},
            {name: tuple(word for word in SAYS if getattr(target, word)) for name, target in targets.items()},
        )

    def batch(self, request: messages.Batch, send: Callable[[messages.Found], None]) -> messages.BatchDone:
        """Run a stretch of attempts, sending each find as it is made."""
        SEEN.clear()
        done = self._search.run(request, send)
        return replace(done, compiled=len(self._compile_keys), memory=_resident(), grids=SEEN.grids)

    def attempt(self, request: messages.Try) -> messages.Tried:
        """Run one case."""
        self._attempts.slot.restart()
        running = InFlight(0, request.target, "", request.case)
        patience = self._attempts.engine.patience.single
        SEEN.clear()
        self._made.clear()
        verdict = self._attempts.alone(running, patience, rehearse=request.rehearse)
        self._attempts.slot.land([verdict.outcome])
        return messages.Tried(verdict, tuple(dict.fromkeys(SEEN.grids.values())), self._made.warmup)


def _resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main(descriptor: int) -> None:
    """Answer requests until the parent closes its end."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    connection = Connection(descriptor)

    def send(answer: messages.Answer) -> None:
        connection.send_bytes(messages.encode(answer))

    worker: Worker | None = None
    gc.set_threshold(*THRESHOLDS)
    while True:
        try:
            request = messages.decode_request(connection.recv_bytes())
        except (EOFError, ConnectionResetError):
            return
        try:
            if isinstance(request, messages.Open):
                worker = Worker(request)
                send(worker.opened)
            elif worker is None:
                send(messages.Failed("WorkerError", "worker: asked to run a case before it was open"))
            elif isinstance(request, messages.Batch):
                send(worker.batch(request, send))
            else:
                send(worker.attempt(request))
        except KvzeroError as error:
            send(messages.Failed(type(error).__name__, str(error)))
        except Exception:
            send(messages.Failed("WorkerError", traceback.format_exc()))


if __name__ == "__main__":
    main(int(sys.argv[1]))
    sys.stdout.flush()
    os._exit(0)  # a device that was lost makes an orderly exit hang
