"""How a check that ran cases ended, and its evidence in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fuzz.gate.results import Check, Decided, State
from fuzz.verdict import OUTCOMES


def ended(
    name: str,
    done: int,
    of: int,
    counts: Mapping[str, int],
    decided: Sequence[Decided],
    *,
    trouble: str = "",
    more: str = "",
) -> Check:
    """A check that ran ``done`` of ``of`` cases; cut short, it is never passed.

    Args:
        name: of the check.
        done: cases that were run.
        of: cases that had to be.
        counts: their outcomes.
        decided: what was found; trouble with deciding it is the check's as well.
        trouble: what ended it, if something of ours did.
        more: what else its line says.
    """
    outcomes: dict[str, int] = {outcome: counts[outcome] for outcome in OUTCOMES if counts.get(outcome)}
    words = f"{f'cut short at {done}' if done < of else done} of {of} cases{more}"
    if outcomes:
        words += f": {', '.join(f'{count} {outcome}' for outcome, count in outcomes.items())}"
    trouble = trouble or next(filter(None, (one.trouble for one in decided)), "")
    if trouble:
        words += f"; {trouble}"
    late = sum(one.late for one in decided)
    if late:
        words += f"; shrinking {late} finds was cut short"
    undecided = sum(one.standing == "undecided" and not one.late for one in decided)
    if undecided:
        words += f"; {undecided} finds could not be held against the base"
    state = _state(done < of or bool(late) or bool(undecided), outcomes, decided, trouble)
    return Check(name, state, words, 0.0, done, of, outcomes, tuple(decided))


def _state(short: bool, counts: Mapping[str, int], decided: Sequence[Decided], trouble: str) -> State:  # noqa: FBT001
    if any(one.standing == "new" for one in decided):
        return "failed"
    if trouble or counts.get("infra"):
        return "trouble"
    if short:
        return "cut short"
    return "passed" if counts.get("passed") or counts.get("finding") else "nothing proved"
