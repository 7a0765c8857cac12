"""One case on one target: lay the arena, make the zeroer, call it, read every byte back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fuzz.arena import Arena, total
from fuzz.case import Case, volume
from fuzz.engines import Engine, Unproved
from fuzz.engines.launch_hook import Launch, watched
from fuzz.rules import hostile_rule
from fuzz.targets import Target, beyond
from fuzz.triage import judge
from fuzz.verdict import Verdict, in_words
from kvzero.segments import SegmentTable
from oracles import launches


@dataclass
class Observation:
    """All that was seen of a run, for triage to judge.

    Attributes:
        stage: how far it came: ``constructor``, ``call`` or ``done``.
        error: what the target raised, if anything.
        launches: every Triton launch, in order.
        ids_changed: whether a call changed the list it was given.
        table_changed: whether a column of the table changed, on the host or on the device.
    """

    stage: str = "constructor"
    error: Exception | None = None
    launches: list[Launch] = field(default_factory=list)
    ids_changed: bool = False
    table_changed: bool = False


def run_case(
    case: Case,
    target: Target,
    engine: Engine,
    arena: Arena,
    *,
    patience: float,
    rehearse: bool = False,
    on_launch: Callable[[float], None],
) -> Verdict:
    """Run a case and judge what it left behind.

    Args:
        case: a legal case.
        target: what runs it.
        engine: where it runs.
        arena: memory of the engine's device.
        patience: most predicted seconds of a launch; a longer one leaves the case unproved.
        rehearse: judge launches by their grids and run none that is legal.
        on_launch: told the predicted seconds of each launch before it starts.
    """
    if case.domain == "contract":
        reason = beyond(target.limits, case)
    else:
        reason = None if hostile_rule(case, target.limits.unit) else "nothing in it is hostile to this target"
    if reason:
        return Verdict("declined", text=reason)
    if total(case) > engine.largest_arena:
        return Verdict("unproved", text=f"an arena of {total(case)} bytes does not fit in {engine.name}")
    table = _table(case, arena.lay(case))
    columns = table.columns()
    engine.settle()
    seen = Observation()

    def decide(launch: Launch) -> tuple[int, ...]:
        seen.launches.append(launch)
        ruling = launches.judge(launch.grid, launch.num_warps, engine.device_profile)
        seconds = engine.seconds(launch, volume(case))
        if ruling.outcome == "runs" and (rehearse or seconds > patience):
            raise Unproved(f"{ruling.reason}, about {seconds:.1f} s in {engine.name}")
        on_launch(seconds if ruling.outcome == "runs" else 0.0)
        return engine.admit(launch, ruling)

    try:
        with watched(decide):
            _call(case, target, table, engine, seen)
    except Unproved as unproved:
        return Verdict("unproved", text=str(unproved))
    except Exception as error:
        seen.error = error
        fault = engine.fault()
        if fault:
            return Verdict("finding", "faulted", fault, text=in_words(error), lost=True)
    seen.table_changed = _changed(table, columns)
    return judge(case, seen, arena, engine.device_profile, target.limits.unit)


def _call(case: Case, target: Target, table: SegmentTable, engine: Engine, seen: Observation) -> None:
    zero = target.make(table, engine.device)
    for call in case.calls:
        seen.stage = "call"
        ids, given = call.arguments(), call.arguments()
        zero(given)
        engine.settle()
        seen.ids_changed |= ids != given
    seen.stage = "done"


def _table(case: Case, origin: int) -> SegmentTable:
    rows = np.array([(s.base, s.stride, s.page) for s in case.segments], np.int64)
    rows[:, 0] += origin
    base, stride, page = np.repeat(rows, [s.times for s in case.segments], axis=0).T.copy()
    return SegmentTable(base, stride, page, case.blocks if case.blocks_known else None)


def _changed(table: SegmentTable, columns: np.ndarray) -> bool:
    if not np.array_equal(table.columns(), columns):
        return True
    base, stride, page = columns
    return any(
        not np.array_equal(packed.cpu().numpy(), np.stack([base, stride // unit, page // unit]))
        for (_, unit), packed in table.uploads.items()
    )
