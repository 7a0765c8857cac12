"""Who is guilty in a batch: a case that is wrong among others is tried alone before anybody is accused.

What a case shows alone is its find. One that is right alone may be the victim of a neighbour, whose find
explains it; of the batch before, whose stray stores hit the poison; or of nobody, and then the batch is tried
again. What shows in the batch twice, and in none of its cases alone, is a find of the sequence of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from msgspec.structs import replace

from fuzz.attempts import Attempts, leave
from fuzz.batch import Batch
from fuzz.flight import InFlight, sequence_of
from fuzz.verdict import RIGHT, Verdict


class Proved(NamedTuple):
    """What an attempt came to, and the case that shows it: its own, or a sequence of the batch's."""

    running: InFlight
    verdict: Verdict


class Suspects:
    """Proves what batches show.

    Args:
        attempts: tries cases again.
    """

    def __init__(self, attempts: Attempts) -> None:
        self._attempts = attempts
        self._spoiled = False

    def proved(self, batch: Batch, beside: Batch | None, patience: float) -> list[Proved]:
        """The final verdict of each member of a batch, in order, while another may be in flight ``beside`` it."""
        shown = self._attempts.judged(batch)
        suspects = [one for one in batch.members if shown[one.attempt].outcome not in RIGHT]
        spoiled, self._spoiled = self._spoiled, False
        if not suspects:
            return [Proved(one, shown[one.attempt]) for one in batch.members]
        self._attempts.renew()
        final = {one.attempt: Proved(one, shown[one.attempt]) for one in batch.members}
        final |= self._alone(suspects, patience)
        innocent = [one for one in suspects if final[one.attempt].verdict.outcome in RIGHT]
        if innocent:
            again = self._attempts.judged(self._attempts.launched(batch.members, beside, patience))
            if any(again[one.attempt].outcome == "finding" for one in innocent):
                final |= self._alone([one for one in batch.members if one not in suspects], patience)
            if not spoiled and not _guilty(final):
                final |= {one.attempt: _accused(one, batch, shown, again) for one in innocent}
        self._spoiled = _guilty(final)
        if beside:
            self._attempts.hold(beside.members)
        return [final[one.attempt] for one in batch.members]

    def _alone(self, members: list[InFlight], patience: float) -> dict[int, Proved]:
        proved = {}
        for one in members:
            verdict = self._attempts.alone(one, patience)
            if verdict.lost:
                leave()
            proved[one.attempt] = Proved(one, verdict)
        return proved


def _guilty(proved: Mapping[int, Proved]) -> bool:
    """Whether somebody's find explains what others showed."""
    return any(one.verdict.outcome == "finding" for one in proved.values())


def _accused(one: InFlight, batch: Batch, shown: Mapping[int, Verdict], again: Mapping[int, Verdict]) -> Proved:
    """A case that is right alone and was wrong among others, whom nobody's find explains.

    If it was wrong among them twice, the sequence of them shows it; if not, replays will call it unstable.
    """
    if again[one.attempt].outcome != "finding":
        return Proved(one, shown[one.attempt])
    return Proved(replace(one, case=sequence_of(batch.members, one.target)), again[one.attempt])
