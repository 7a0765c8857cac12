"""The process that runs targets: it alone imports torch, and it alone dies of what they do.

Started as ``python -m fuzz.worker FD``, it answers requests on that socket until it is closed.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from fuzz import messages
from fuzz.build import numbered
from fuzz.case import Case
from fuzz.engines.choosing import choose
from fuzz.errors import KvzeroError
from fuzz.flight import FlightSlot, InFlight
from fuzz.verdict import Verdict

LEAST_LIMIT = 10.0
"""Seconds that any case may take."""

MARGIN = 20
"""Times its predicted time that a launch may take before it counts as hung."""

SLOW_STORES = 1e10
"""Bytes a second that a target clears at the least, on any machine."""

PR_SET_PDEATHSIG = 1


class Worker:
    """Engine, arena and targets of one process."""

    def __init__(self, request: messages.Open) -> None:
        engine = choose(request.engine, request.device_profile)
        from fuzz.arena import arena_of  # noqa: PLC0415 - torch only after the engine chose its mode
        from fuzz.engines.launch_hook import compile_keys  # noqa: PLC0415
        from fuzz.run import run_case  # noqa: PLC0415
        from fuzz.targets import load  # noqa: PLC0415

        self._run = run_case
        self._compile_keys = compile_keys
        self._targets = {name: load(name) for name in request.targets}
        self._engine = engine
        self._arena = arena_of(engine)
        self._slot = FlightSlot(Path(request.slot))
        self._pid = os.getpid()
        self.opened = messages.Opened(
            engine.name,
            engine.device_name,
            engine.device_profile,
            {name: target.limits.unit for name, target in self._targets.items()},
            {name: target.takes for name, target in self._targets.items()},
        )

    def batch(self, request: messages.Batch, send: Callable[[messages.Found], None]) -> messages.BatchDone:
        """Run attempts until the batch or its time is over, sending each find as it is made."""
        self._slot.restart()
        names = list(self._targets)
        counts: Counter[str] = Counter()
        unproved: Counter[str] = Counter()
        until = time.monotonic() + request.seconds
        attempt = request.first
        patience = self._engine.patience.search if request.patience is None else request.patience
        while attempt < request.stop:
            index, turn = divmod(attempt, len(names))
            told = request.tell and not index % request.tell
            if request.only_told and not told:
                attempt += 1
                continue
            case, profile = numbered(request.seed, index, request.profiles, request.unit)
            running = InFlight(attempt, names[turn], profile, case)
            verdict = self._attempt(running, patience, rehearse=False)
            if told or verdict.outcome in ("finding", "infra"):
                send(messages.Found(attempt, names[turn], profile, case, verdict))
            self._slot.land(verdict.outcome)
            counts[verdict.outcome] += 1
            if verdict.outcome == "unproved":
                unproved[profile] += 1
            attempt += 1
            if verdict.lost or time.monotonic() > until:
                break
        return messages.BatchDone(attempt, counts, unproved, len(self._compile_keys))

    def attempt(self, request: messages.Try) -> messages.Tried:
        """Run one case."""
        self._slot.restart()
        running = InFlight(0, request.target, "", request.case)
        verdict = self._attempt(running, self._engine.patience.single, rehearse=request.rehearse)
        self._slot.land(verdict.outcome)
        return messages.Tried(verdict)

    def _attempt(self, running: InFlight, patience: float, *, rehearse: bool) -> Verdict:
        at_least = max(LEAST_LIMIT, MARGIN * running.case.volume / SLOW_STORES) + _laying(running.case)
        self._slot.take_off(running, at_least)
        predicted = 0.0

        def on_launch(seconds: float) -> None:
            nonlocal predicted
            predicted += seconds
            if MARGIN * predicted > at_least:
                self._slot.extend(MARGIN * predicted)

        target = self._targets[running.target]
        try:
            verdict = self._run(
                running.case,
                target,
                self._engine,
                self._arena,
                patience=patience,
                rehearse=rehearse,
                on_launch=on_launch,
            )
        except Exception:
            fault = self._engine.fault()
            if fault:
                kind, detail = fault
                verdict = Verdict("finding", kind, detail, text="the device was lost", lost=True)
            else:
                verdict = Verdict("infra", text=traceback.format_exc(limit=-3))
        if verdict.outcome == "finding" and not verdict.lost and not self._engine.survives_faults:
            self._arena.renew()
        if os.getpid() != self._pid:
            os._exit(0)  # a target forked: only the parent may answer
        return verdict


def _laying(case: Case) -> float:
    """Seconds that laying and comparing an arena may take, at a pace that any machine keeps."""
    return case.end / 20e6


def main(descriptor: int) -> None:
    """Answer requests until the parent closes its end."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    connection = Connection(descriptor)

    def send(answer: messages.Answer) -> None:
        connection.send_bytes(messages.encode(answer))

    worker: Worker | None = None
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
