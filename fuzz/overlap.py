"""Running a case whose calls are in flight together.

Each call of the zeroer is first made and judged alone, on its stream: that compiles its kernels, and
lets allocators hold what it needs, since neither can be done while the device must not wait. Then the
poison is laid once, a sleep is put in front of every stream, all calls are made while the device
sleeps, and the image is read once. If it is wrong, the calls are made alone again: what is wrong then,
too, is no matter of order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import torch

from fuzz.arena import Arena
from fuzz.case import Case
from fuzz.engines import EngineFailed, Unproved
from fuzz.engines.launch_hook import Watched
from fuzz.engines.streams import Streams
from fuzz.images import HeldImage, Image
from fuzz.observation import Observation
from fuzz.pairing import Judge, decoy, pattern, places
from fuzz.run import Run
from fuzz.triage import rejected
from fuzz.verdict import Verdict, in_words

GATES = (3e-3, 12e-3)
"""Seconds that the device sleeps: six calls take about half a millisecond of the host's time. The longer
one is for a host that was late, or for a target that waits for the device in each call."""

Make = Callable[[], None]


@dataclass(frozen=True)
class Settled:
    """An arena that nothing is in flight on while it is laid or read, whatever streams a target used."""

    arena: Arena
    streams: Streams

    def fit(self, case: Case) -> int:
        """Make room for a case and give the address of its offset 0."""
        return self.arena.fit(case)

    def lay(self) -> None:
        """Poison it."""
        self.streams.settle()
        self.arena.lay()
        self.streams.settle()

    def read(self) -> Image:
        """The image as it is when all is done."""
        self.streams.settle()
        return self.arena.read()

    def memory(self) -> torch.Tensor:
        """The memory itself."""
        return self.arena.memory()

    def renew(self) -> None:
        """Make the poison anew."""
        self.arena.renew()


def overlapped(run: Run, streams: Streams) -> Verdict:
    """The verdict of a case of overlapping calls.

    A host that was late, so that a sleep was over before the last call was made, gets a second chance
    to show a fault with a longer one. After that the case has passed: calls that the target itself
    keeps apart cannot overlap.
    """
    verdict = _alone(run, streams) or _together(run, streams)
    if not verdict.lost:
        streams.release()
    return verdict


def _together(run: Run, streams: Streams) -> Verdict:
    for seconds in GATES:
        flight = _Flight(run, streams, seconds)
        verdict = flight.verdict()
        if verdict is not None and verdict.kind == "misordered":
            return _alone(run, streams) or verdict
        if verdict is not None:
            return verdict
        if flight.together:
            break
    return Verdict("passed")


def _alone(run: Run, streams: Streams) -> Verdict | None:
    """The verdict of the first call that is wrong by itself; None if all are right one by one.

    The first one is made on the current stream, too, where a zeroer is usually constructed.
    """
    calls = [call for call in run.case.calls if call.op == "zero"]
    for stream, call in [(0, calls[0]), *((call.stream, call) for call in calls)]:
        with streams.on(stream):
            verdict = run.judged(call)
        if verdict is not None:
            return verdict
    return None


@dataclass
class _Flight:
    """All calls of a case at once.

    Attributes:
        run: the case, its zeroer made.
        streams: where the calls go.
        seconds: how long the device sleeps first.
        together: whether it slept until the last call was made.
        capturing: whether a call is being captured; an error then may leave the device useless.
        given: the lists of ids that the target got, in order.
    """

    run: Run
    streams: Streams
    seconds: float
    together: bool = False
    capturing: bool = False
    given: list[tuple[list[Any], list[Any]]] = field(default_factory=list)

    def verdict(self) -> Verdict | None:
        """Make the calls and judge what they leave; None if it is right."""
        run, seen = self.run, Observation(constructed=True)
        try:
            with Watched(lambda launch: run.decide(launch, seen)):
                calls = self._ready()
                run.arena.lay()
                self._fly(calls)
            image = cast("HeldImage", run.arena.read())
        except Unproved as unproved:
            return Verdict("unproved", text=str(unproved))
        except EngineFailed as failure:
            return Verdict("infra", text=str(failure))
        except BaseException as error:
            return self._raised(error, seen)
        return Judge(run.case, image).verdict() or self._arguments()

    def _ready(self) -> list[Make]:
        """What each call does when its turn comes.

        Captures are made now. Writes are made and graphs replayed once, so that neither waits for the
        device later. Calls with other ids follow, into whatever buffers a graph may have been left with.
        """
        case = self.run.case
        calls: list[Make] = []
        for index, call in enumerate(case.calls):
            if call.op == "write":
                calls.append(self._writer(index))
                calls[-1]()
            elif call.graph and call.ids:
                self.capturing = True
                calls.append(self.streams.captured(self._zero(call.arguments())))
                calls[-1]()
                self.streams.settle()
                self.capturing = False
            else:
                calls.append(self._zero(call.arguments()))
        for call in case.calls:
            if call.graph:
                with self.streams.on(call.stream):
                    self._zero(decoy(case, call))()
        return calls

    def _zero(self, ids: list[Any]) -> Make:
        zero = cast("Callable[[list[Any]], None]", self.run.zero)
        given = list(ids)
        self.given.append((given, ids))
        return lambda: zero(given)

    def _writer(self, index: int) -> Make:
        case = self.run.case
        where = places(case, case.calls[index].ids.distinct().tolist())
        laid = cast("HeldImage", self.run.arena.read()).before
        return self.streams.writer(self.run.arena.memory(), where, pattern(laid[where], index))

    def _fly(self, calls: list[Make]) -> None:
        gates = []
        for stream in sorted({call.stream for call in self.run.case.calls}):
            with self.streams.on(stream):
                gates.append(self.streams.gate(self.seconds))
        marks: list[Any] = []
        for call, make in zip(self.run.case.calls, calls, strict=True):
            with self.streams.on(call.stream):
                for earlier in call.after:
                    self.streams.wait(marks[earlier])
                make()
                marks.append(self.streams.mark())
        self.together = not any(map(self.streams.passed, gates))

    def _raised(self, error: BaseException, seen: Observation) -> Verdict:
        engine = self.run.engine
        fault = engine.fault()
        if fault:
            return Verdict("finding", *fault, text=in_words(error), lost=not engine.survives_faults)
        seen.error = error
        kind, detail, text = rejected(seen, engine.device_profile)
        return Verdict("finding", kind, detail, text=text, lost=self.capturing)

    def _arguments(self) -> Verdict | None:
        """Damage to a list of ids or to the table while calls overlapped."""
        if any(given != ids for given, ids in self.given):
            return Verdict("finding", "clobbered", "ids", text="the target changed a list of ids that it was passed")
        if self.run.given.changed([]):
            return Verdict("finding", "clobbered", "table", text="the target changed a column of the segment table")
        return None
