"""Cases on targets, alone or in a batch, each in the flight slot for as long as it runs."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from msgspec.structs import replace

from fuzz.arena import arena_of
from fuzz.batch import Batch, grouped
from fuzz.batch_arena import BatchArena
from fuzz.case import Case
from fuzz.engines import Engine
from fuzz.flight import FlightSlot, InFlight
from fuzz.in_turn import first_shown
from fuzz.run import run_case
from fuzz.target import Target
from fuzz.verdict import Verdict

LEAST_LIMIT = 10.0
"""Seconds that any case may take."""

MARGIN = 20
"""Times its predicted time that a launch may take before it counts as hung."""

SLOW_STORES = 1e10
"""Bytes a second that a target clears at the least, on any machine."""

HOST_PACE = 20e6
"""Bytes a second that are poisoned and compared at the least on a host."""

DEVICE_PACE = 1e8
"""The same on a device; a gigabyte that is wrong all through takes NumPy nine seconds there, too."""

DEVICE_LOST = 70
"""The exit code of a process whose device is lost while a batch is in flight."""


class Attempts:
    """What one process can try.

    Args:
        engine: where it runs.
        targets: by name.
        slot: a file for the cases in flight.
    """

    def __init__(self, engine: Engine, targets: Mapping[str, Target], slot: Path) -> None:
        self.engine = engine
        self.targets = targets
        self.slot = FlightSlot(slot)
        self._arena = arena_of(engine)
        self._arenas = [BatchArena(engine) for _ in range(2)] if engine.batches else []
        self._limit = 0.0
        self._predicted = 0.0
        self._pid = os.getpid()

    def alone(self, running: InFlight, patience: float, *, rehearse: bool = False) -> Verdict:
        """The verdict of one case by itself; it stays in the slot until somebody lands it."""
        self.hold([running])
        target = self.targets[running.target]
        try:
            if running.case.sequence:
                verdict = self._in_turn(running, patience)
            else:
                verdict = self._one(running.case, target, patience, rehearse=rehearse)
        except Exception:
            fault = self.engine.fault()
            if fault:
                verdict = Verdict("finding", *fault, text="the device was lost", lost=True)
            else:
                verdict = Verdict("infra", text=traceback.format_exc(limit=-3))
        if verdict.outcome == "finding" and not verdict.lost and not self.engine.survives_faults:
            self.renew()
        self._only_the_parent()
        return verdict

    def _one(self, case: Case, target: Target, patience: float, *, rehearse: bool = False) -> Verdict:
        return run_case(
            case, target, self.engine, self._arena, patience=patience, rehearse=rehearse, on_launch=self._launching
        )

    def _in_turn(self, running: InFlight, patience: float) -> Verdict:
        """A sequence: its cases side by side, or one after the other on an engine without batches."""
        if not self._arenas:
            target = self.targets[running.target]
            return first_shown(self._one(case, target, patience) for case in running.case.sequence)
        members = [replace(running, attempt=number, case=case) for number, case in enumerate(running.case.sequence)]
        verdicts: dict[int, Verdict] = {}
        flying: Batch | None = None
        for group in grouped(members, alone=lambda _: False):
            launched = self._batch(group, flying, patience)
            verdicts |= flying.verdicts() if flying else {}
            flying = launched
        verdicts |= flying.verdicts() if flying else {}
        return first_shown(verdicts.values())

    def launched(self, members: list[InFlight], beside: Batch | None, patience: float) -> Batch:
        """A batch on its way, while another may still be in flight."""
        self.hold([*(beside.members if beside else ()), *members])
        with self._or_leave():
            batch = self._batch(members, beside, patience)
        self._only_the_parent()
        return batch

    def _batch(self, members: list[InFlight], beside: Batch | None, patience: float) -> Batch:
        arena = next(one for one in self._arenas if beside is None or one is not beside.arena)
        batch = Batch(members, self.targets, arena, patience=patience, on_launch=self._going_on)
        batch.launch()
        return batch

    def judged(self, batch: Batch) -> dict[int, Verdict]:
        """What became of a batch, by attempt; a device that was lost on the way takes the process along."""
        with self._or_leave():
            verdicts = batch.verdicts()
        if any(verdict.lost for verdict in verdicts.values()):
            leave()
        return verdicts

    def hold(self, running: Sequence[InFlight]) -> None:
        """Put cases into the slot, with time for all of them."""
        cases = [case for one in running for case in one.case.sequence or (one.case,)]
        volume = sum(case.volume for case in cases)
        least = LEAST_LIMIT * (1 if self._arenas else len(cases))  # one after the other, each has its own
        self._limit = max(least, MARGIN * volume / SLOW_STORES) + self._laying(cases)
        self._predicted = 0.0
        self.slot.take_off(running, self._limit)

    def _laying(self, cases: Sequence[Case]) -> float:
        """Seconds that laying and comparing arenas may take, at a pace that any machine keeps."""
        pace = HOST_PACE if self.engine.device.type == "cpu" else DEVICE_PACE
        return sum(case.end for case in cases) / pace

    def renew(self) -> None:
        """Make all poison anew: a target may have written over it from afar."""
        self._arena.renew()
        for arena in self._arenas:
            arena.renew()

    def _launching(self, seconds: float) -> None:
        self._predicted += seconds
        if MARGIN * self._predicted > self._limit:
            self.slot.extend(MARGIN * self._predicted)

    def _going_on(self, seconds: float) -> None:
        """A batch has come to another launch, after a compile perhaps: no case of it has used up the others' time."""
        self._predicted += seconds
        self.slot.go_on(max(self._limit, MARGIN * self._predicted))

    @contextmanager
    def _or_leave(self) -> Iterator[None]:
        try:
            yield
        except Exception:
            if self.engine.fault():
                leave()
            raise

    def _only_the_parent(self) -> None:
        """End a process that a target forked: only the parent may answer."""
        if os.getpid() != self._pid:
            os._exit(0)


def leave() -> NoReturn:
    """End the process: its device is lost, and its cases are in the slot for others to try one by one."""
    os._exit(DEVICE_LOST)
