"""What it means that a worker ended or hung: a verdict of the case that it had in flight."""

from __future__ import annotations

import signal
import time

from fuzz import flight, messages
from fuzz.verdict import Verdict

_MEMORY_SIGNALS = (signal.SIGSEGV, signal.SIGBUS)


class Died(Exception):  # noqa: N818 - news, not an error
    """A worker ended in a batch or a try.

    Attributes:
        running: the cases in flight; none if it died between two cases or had reported it already.
        verdict: what the death means for a case that was alone in flight, or for the run if there was none.
        counts: outcomes of the batch, the cases in flight not among them.
    """

    def __init__(self, running: tuple[flight.InFlight, ...], verdict: Verdict, counts: dict[str, int]) -> None:
        super().__init__(verdict.text)
        self.running = running
        self.verdict = verdict
        self.counts = counts


def ended(state: flight.Flight | None, last: messages.Found | None, returncode: int, words: str) -> Died:
    """The death of a worker whose process is no more.

    Args:
        state: what its slot holds, if that can be read.
        last: the find that it reported last.
        returncode: of the process, below 0 the signal that ended it.
        words: the last that it printed.
    """
    if state is None or not state.running:
        text = f"a worker ended between two cases; {words}"
        return Died((), Verdict("infra", text=text), state.counts if state else {})
    if last is not None and [last.attempt] == [one.attempt for one in state.running]:
        return Died((), last.verdict, state.counts)
    return Died(state.running, _faulted(returncode, words), state.counts)


def hung(state: flight.Flight) -> Died:
    """The death of a worker that was ended because its case took too long."""
    seconds = time.monotonic() - state.started
    words = f"still running after {seconds:.0f} s, its limit {state.limit:.0f} s"
    return Died(state.running, Verdict("finding", "hung", text=words, lost=True), state.counts)


def _faulted(returncode: int, words: str) -> Verdict:
    number = -returncode
    if number in _MEMORY_SIGNALS:
        return Verdict("finding", "faulted", "memory", text=f"{signal.Signals(number).name}; {words}", lost=True)
    if number > 0:
        return Verdict("finding", "faulted", f"signal-{number}", text=words, lost=True)
    return Verdict("finding", "faulted", "exit", text=f"the process ended itself with {returncode}; {words}", lost=True)
