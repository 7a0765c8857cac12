"""Several cases in flight together: a poison, an upload and a way back for all of them, a launch for each.

A case takes a fraction of a millisecond, and most of that is spent on waiting for one transfer after the
other. Side by side in one arena they wait together, and while the device works the host draws the next
ones. What is judged is the same: each call's own image, every byte of it, from guard zone to guard zone.
A case that is not right here is a suspect and no more, for a neighbour may have done it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from fuzz.batch_arena import ROOM, BatchArena, Berth, needed
from fuzz.case import Case
from fuzz.flight import InFlight
from fuzz.given import columns, given_of
from fuzz.layout import total
from fuzz.observation import Observation
from fuzz.run import Run, declined
from fuzz.tables import Tables
from fuzz.target import Target
from fuzz.verdict import Verdict

PROFILES = ("small", "layout", "exhaustive")
"""Profiles whose cases are small, and whose launches do not fault unless a kernel is wrong by much."""

LARGEST = ROOM // 8
"""Bytes of a case that may fly with others."""


def batchable(profile: str, case: Case) -> bool:
    """Whether a case may fly with others: all of its memory is there, there is little of it, and no call waits."""
    return profile in PROFILES and case.domain == "contract" and not case.overlaps and total(case) <= LARGEST


def grouped(members: Iterable[InFlight], alone: Callable[[InFlight], bool]) -> Iterator[list[InFlight]]:
    """Cases in order: neighbours that may fly together as one group, as far as there is room, the others alone."""
    group: list[InFlight] = []
    taken = 0
    for one in members:
        size = ROOM if alone(one) else needed(total(one.case))
        if group and taken + size > ROOM:
            yield group
            group, taken = [], 0
        group.append(one)
        taken += size
    if group:
        yield group


class Guest(NamedTuple):
    """A case in the batch, where it lies, and what is seen of each of its calls."""

    run: Run
    berth: Berth
    seen: list[Observation]

    @property
    def calls(self) -> int:
        """How many it makes."""
        return len(self.run.case.calls)

    def take_turn(self, turn: int) -> None:
        """Make a call, unless one before it went wrong already."""
        if len(self.seen) == turn and all(seen.clean for seen in self.seen):
            self.seen.append(self.run.made(self.run.case.calls[turn]))

    def verdict(self) -> Verdict:
        """The first call that is not right decides."""
        for turn, (call, seen) in enumerate(zip(self.run.case.calls, self.seen, strict=False)):
            self.berth.turn = turn
            verdict = self.run.ended(call, seen)
            if verdict is not None:
                return verdict
        return Verdict("passed")


class Batch:
    """Cases on their way to one device, each on its target.

    Args:
        members: cases that may fly with others and together fit into the arena.
        targets: by name.
        arena: where they lie; the batch that it held before must have been judged.
        patience: most predicted seconds of the launches of a call.
        on_launch: told the predicted seconds of each.

    Attributes:
        members: as given.
        arena: the same.
    """

    def __init__(
        self,
        members: list[InFlight],
        targets: Mapping[str, Target],
        arena: BatchArena,
        *,
        patience: float,
        on_launch: Callable[[float], None],
    ) -> None:
        self.members = members
        self.arena = arena
        self._declined = {one.attempt: declined(one.case, targets[one.target]) for one in members}
        flying = [one for one in members if not self._declined[one.attempt]]
        flying.sort(key=lambda one: len(one.case.calls), reverse=True)  # later turns then take a front part alone
        berths = arena.berths([one.case for one in flying])
        self._tables = Tables(
            [columns(one.case, berth.fit(one.case)) for one, berth in zip(flying, berths, strict=True)]
        )
        self._guests: dict[int, Guest] = {}
        for number, (one, berth) in enumerate(zip(flying, berths, strict=True)):
            given = self._tables.given(number, one.case) if one.case.segments else given_of(one.case, berth)
            target = targets[one.target]
            run = Run(one.case, target, arena.engine, berth, given, patience, rehearse=False, on_launch=on_launch)
            self._guests[one.attempt] = Guest(run, berth, [])

    def launch(self) -> None:
        """Warm up; then lay the poison, make a call of each case and send the images back, turn by turn.

        Nothing waits for the device.
        """
        guests = list(self._guests.values())
        for guest in guests:
            if guest.run.warms and not (seen := guest.run.warm_up()).clean:
                guest.seen.append(seen)
        for turn in range(max((guest.calls for guest in guests), default=0)):
            those = [guest for guest in guests if guest.calls > turn]
            stop = those[-1].berth.stop
            self.arena.lay(stop)
            for guest in those:
                guest.take_turn(turn)
            self.arena.fetch(turn, stop)
        self._tables.fetch()
        self.arena.mark()

    def verdicts(self) -> dict[int, Verdict]:
        """Wait, and judge every member, by attempt; what is not right is suspected and not proved.

        Raises:
            RuntimeError: what the device reports.
        """
        self.arena.wait()
        return {one.attempt: self._verdict(one.attempt) for one in self.members}

    def _verdict(self, attempt: int) -> Verdict:
        reason = self._declined[attempt]
        return Verdict("declined", text=reason) if reason else self._guests[attempt].verdict()
