"""One lane of the search: a crew that runs one piece of work after the other."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from fuzz import messages
from fuzz.control import Control
from fuzz.cross_check import CrossCheck
from fuzz.errors import EngineError, WorkerError
from fuzz.ledger import Ledger
from fuzz.schedule import Work
from fuzz.supervisor import Crew
from fuzz.verdict import Bucket

BATCH_SECONDS = 0.25
"""How often a worker reports, and so how soon a run sees a signal."""


def search(
    crew: Crew,
    ledger: Ledger,
    control: Control,
    request: messages.Batch,
    device_profile: str,
    between: Callable[[Callable[[], bool]], None],
    check: CrossCheck | None = None,
) -> None:
    """Run what the ledger hands out until the run is over.

    Args:
        crew: runs it; while it waits for a worker it holds no work.
        ledger: gives work and takes what came of it.
        control: how long there is.
        request: a batch, but for what to run.
        device_profile: whose launch limits hold.
        between: called between two batches; the crew may be lent while it lasts.
        check: runs some of the cases on a second engine.

    Raises:
        KvzeroError: what ends the run.
        Abandoned: if the crew's worker was given up; its batch is not counted.
    """
    met: list[Bucket] = []

    def seen(found: messages.Found) -> None:
        if check:
            check.note(found)
        if found.verdict.outcome in ("finding", "infra"):
            ledger.met(found)
        if found.verdict.outcome == "finding":
            met.append(found.verdict.bucket(found.target, device_profile))

    while (work := _next(crew, ledger, between)) is not None:
        left = control.left
        seconds = BATCH_SECONDS if left is None else min(BATCH_SECONDS, left)
        stop, pool = ledger.epoch(work)
        asked = replace(request, first=work.first, stop=stop, seconds=seconds, pool=pool)
        met.clear()
        done = crew.batch(check.asks(asked) if check else asked, seen)
        if ledger.record(work, done, met):
            crew.renew()
        if check and (differ := check.disagreement(asked, done.following, crew.open().engine)):
            raise EngineError(differ)
        ran = sum(count for outcome, count in done.counts.items() if outcome != "infra")
        if ran:
            crew.restarts.ran(ran)
        else:
            crew.restarts.barren(WorkerError(done.trouble or "worker: came back without a case"))


def _next(crew: Crew, ledger: Ledger, between: Callable[[Callable[[], bool]], None]) -> Work | None:
    """Work for a crew that has its worker, so that nobody waits for one with work in hand."""
    between(ledger.over)
    if ledger.over():
        return None
    crew.open()
    return ledger.take()
