"""The same cases on a second engine: two that disagree are a fault of ours, not of the target."""

from __future__ import annotations

from msgspec.structs import replace

from fuzz import messages
from fuzz.supervisor import Crew
from fuzz.verdict import Verdict

OTHER = {"cuda": "simulator", "simulator": "interpreter", "interpreter": "simulator"}
"""Which engine checks which."""

PATIENCE = {"interpreter": 0.04}
"""Most predicted seconds of a call's launches: forty programs of the interpreter, so that checking stays quick."""

LONG = 3600.0
"""Seconds that checking a batch may take; a case that hangs has its own limit."""

DECIDED = ("passed", "finding")

STRICTER = ("memory", "misaligned", "assert", "compile")
"""Details that the simulator finds and the others may not: a stray store goes unseen where the memory
belongs to somebody, and the interpreter knows no alignment, no promise and no compiler."""


class CrossCheck:
    """Runs each Nth case again, on a crew of its own.

    Attributes:
        compared: cases that both engines decided.
    """

    def __init__(self, crew: Crew, every: int) -> None:
        self.compared = 0
        self._crew = crew
        self._every = every
        self._engine = crew.open().engine
        self._mine: dict[int, Verdict] = {}

    def asks(self, request: messages.Batch) -> messages.Batch:
        """A batch that also tells the verdicts which are to be checked."""
        return replace(request, tell=self._every)

    def note(self, found: messages.Found) -> None:
        """Remember a verdict of the first engine."""
        self._mine[found.attempt] = found.verdict

    def disagreement(self, request: messages.Batch, following: int, engine: str) -> str:
        """Run the cases of a batch that ended before ``following`` again; in words where they differ."""
        mine, self._mine = self._mine, {}
        differ: list[str] = []

        def compare(found: messages.Found) -> None:
            verdict = mine.get(found.attempt)
            if verdict is None or verdict.outcome not in DECIDED or found.verdict.outcome not in DECIDED:
                return
            if "recompiled" in (verdict.kind, found.verdict.kind) and "interpreter" in (engine, self._engine):
                return  # it compiles nothing
            self.compared += 1
            mine_first = engine == "simulator"
            simulated, other = (verdict, found.verdict) if mine_first else (found.verdict, verdict)
            if not agree(simulated, other):
                differ.append(
                    f"engines disagree on attempt {found.attempt} (seed {request.seed}, profile {found.profile}, "
                    f"target {found.target}): {engine} says {verdict.label()}, {self._engine} {found.verdict.label()}"
                )

        again = replace(
            request,
            stop=following,
            seconds=LONG,
            tell=self._every,
            only_told=True,
            patience=PATIENCE.get(self._engine),
        )
        while again.first < following and not differ:
            done = self._crew.batch(again, compare)
            again = replace(again, first=done.following)
        return differ[0] if differ else ""


def agree(simulated: Verdict, other: Verdict) -> bool:
    """Whether the simulator and another engine say the same of a case: kind, detail, and every wrong byte."""
    if simulated.detail in STRICTER:
        return True
    return (simulated.kind, simulated.detail, simulated.regions, simulated.wrong_bytes) == (
        other.kind, other.detail, other.regions, other.wrong_bytes,
    )  # fmt: skip
