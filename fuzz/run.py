"""One case on one target: make the zeroer, warm it up, then call by call lay the poison, call, read every byte."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fuzz.arena import Arena
from fuzz.caches import caches
from fuzz.case import WHOLE, Call, Case
from fuzz.engines import NOTHING, Engine, EngineFailed, Unproved
from fuzz.engines.launch_hook import Launch, Watched
from fuzz.given import Given, GivenLayout, GivenTable, Uploads
from fuzz.large_arena import LargeArena, held
from fuzz.layout import total
from fuzz.rules import hostile_rule
from fuzz.targets import Target, beyond
from fuzz.triage import judge
from fuzz.verdict import Verdict, in_words
from fuzz.virtual_arena import VirtualArena
from fuzz.warming import BLOCKS_UNKNOWN, WARMING, Warm, warmup_of
from oracles import launches
from oracles.launches import Ruling
from oracles.variants import Change


@dataclass
class Observation:
    """All that was seen of one call, the constructor counted to the first, for triage to judge.

    Attributes:
        constructed: whether the zeroer was made.
        error: what the target raised, if anything.
        launches: every Triton launch, in order.
        ids_changed: whether the call changed the list it was given.
        table_changed: whether a column of the table changed, on the host or on the device.
        recompiled: the argument for which the call launched what the warm-up did not, if one did.
        unproved: why the engine cannot hold the case, if it cannot.
    """

    constructed: bool = False
    error: BaseException | None = None
    launches: list[Launch] = field(default_factory=list)
    ids_changed: bool = False
    table_changed: bool = False
    recompiled: Change | None = None
    unproved: str = ""

    @property
    def clean(self) -> bool:
        """Whether nothing but the image can be wrong."""
        return self.error is None and not (self.recompiled or self.ids_changed or self.table_changed)

    def skipped(self, device_profile: str) -> Ruling | None:
        """The ruling of the first launch that a device silently does not run."""
        rulings = (launches.judge(launch.grid, launch.num_warps, device_profile) for launch in self.launches)
        return next((ruling for ruling in rulings if ruling.outcome == "skipped"), None)


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
    """Run a case and judge what each call left behind; the first that is not right decides.

    The arena is poisoned anew before each call, as an engine writes into a page between two calls: so
    a call that clears what an earlier one was asked to clear is found.

    Args:
        case: a legal case.
        target: what runs it.
        engine: where it runs.
        arena: memory of the engine's device.
        patience: most predicted seconds of a launch; a longer one leaves the case unproved.
        rehearse: judge launches by their grids and run none that is legal.
        on_launch: told the predicted seconds of each launch before it starts.
    """
    refused = _refused(case, target, engine)
    if refused:
        return refused
    size = total(case)
    if size > WHOLE and engine.keeps_stores and target.virtual:
        arena = VirtualArena(engine)
    elif size > WHOLE and size > engine.largest_arena:
        return Verdict("unproved", text=f"an arena of {size} bytes does not fit in {engine.name}")
    elif case.end > WHOLE and engine.device.type != "cpu" and not isinstance(arena, LargeArena):
        return held(
            engine,
            lambda large: run_case(
                case, target, engine, large, patience=patience, rehearse=rehearse, on_launch=on_launch
            ),
        )
    streams = engine.streams if case.overlaps else None
    if streams is not None:
        from fuzz.overlap import Settled, overlapped  # noqa: PLC0415 - it runs calls through this module

        arena = Settled(arena, streams)
    try:
        run = Run(case, target, engine, arena, patience, rehearse, on_launch)
    except Unproved as unproved:
        return Verdict("unproved", text=str(unproved))
    if streams is not None:
        return overlapped(run, streams)
    for call in case.calls:
        verdict = run.judged(call)
        if verdict is not None:
            return verdict
    return Verdict("passed")


@dataclass
class Run:
    """A case on its way: one zeroer, call after call."""

    case: Case
    target: Target
    engine: Engine
    arena: Arena
    patience: float
    rehearse: bool
    on_launch: Callable[[float], None]

    def __post_init__(self) -> None:
        self.given = _given(self.case, self.arena)
        self.zero: Callable[[list[object]], None] | None = None
        self.warm: Warm | None = None

    def judged(self, call: Call) -> Verdict | None:
        """Make one call; the verdict if the case ends with it, None if it was right and may go on."""
        self.arena.lay()
        seen = Observation()
        uploads: Uploads = []
        ids = call.arguments()
        given = list(ids)
        try:
            with Watched(lambda launch: self.decide(launch, seen)) as watched:
                if self.zero is None:
                    self.zero = self._made(seen, watched)
                seen.constructed = True
                self.zero(given)
            self.engine.settle()
            seen.recompiled = self.warm.added(watched.compiled) if self.warm else None
            uploads = self.given.uploads() if call is self.case.calls[-1] else []
            image = self.arena.read()
        except Unproved as unproved:
            seen.unproved = str(unproved)
        except EngineFailed as failure:
            return Verdict("infra", text=str(failure))
        except BaseException as error:
            seen.error = error
            fault = self.engine.fault()
            if fault:
                kind, detail = fault
                lost = not self.engine.survives_faults
                return Verdict("finding", kind, detail, text=in_words(error), lost=lost)
            image = self.arena.read()
        if self.rehearse:
            judged = seen.error or seen.skipped(self.engine.device_profile)
            seen.unproved = "" if judged else seen.unproved or "rehearsed only"
        if seen.unproved:
            return Verdict("unproved", text=seen.unproved)
        seen.ids_changed = ids != given or list(map(type, ids)) != list(map(type, given))
        seen.table_changed = self.given.changed(uploads)
        profile, unit = self.engine.device_profile, self.target.limits.unit
        return judge(self.case, call, seen, image, profile, unit)

    def _made(self, seen: Observation, watched: Watched) -> Callable[[list[object]], None]:
        """The zeroer, warmed up if it can be; what its warm-up left in the arena is poisoned over.

        A cache whose first block has no memory, as where bases are biased, is left cold: a warm-up may
        clear a block of it.
        """
        zero = self.target.make(self.given.argument, self.engine.device)
        warmup = warmup_of(zero) if self.case.whole and not self.case.cold else None
        if warmup is not None:
            launched = len(seen.launches)
            self.on_launch(WARMING)
            with self.engine.allocating():
                warmup(self.case.blocks if self.case.blocks_known else BLOCKS_UNKNOWN)
            self.warm = Warm(watched.compiled)
            watched.compiled.clear()
            del seen.launches[launched:]
            self.arena.lay()
        return zero

    def decide(self, launch: Launch, seen: Observation) -> tuple[int, ...]:
        """What to do about a launch: run its grid, or nothing, or raise as a launcher would."""
        seen.launches.append(launch)
        ruling = launches.judge(launch.grid, launch.num_warps, self.engine.device_profile)
        if ruling.outcome != "runs":
            return self.engine.admit(launch, ruling)
        if self.rehearse:
            return NOTHING
        volume = self.case.volume if seen.constructed else self.case.block_volume
        seconds = self.engine.seconds(launch, volume)
        if seconds > self.patience:
            seen.unproved = f"grid {launch.grid} would take about {seconds:.1f} s in {self.engine.name}"
            raise Unproved(seen.unproved)
        self.on_launch(seconds)
        return self.engine.admit(launch, ruling)


def _refused(case: Case, target: Target, engine: Engine) -> Verdict | None:
    reason = _declined(case, target)
    if reason:
        return Verdict("declined", text=reason)
    if case.overlaps and engine.streams is None:
        return Verdict("unproved", text=f"calls in flight together: {engine.name} makes them one by one; a GPU can")
    return None


def _declined(case: Case, target: Target) -> str | None:
    if (target.takes == "layout") != bool(case.layers):
        return f"the target takes a {target.takes}, the case has {'layers' if case.layers else 'segments'}"
    if target.newer_form and any(place.block_dim for place in case.placed.places):
        return "the target takes layouts of the newer form only: blocks are the first dimension of every cache"
    if case.domain == "contract":
        if any(call.graph for call in case.calls) and not target.capturable:
            return "a call is captured into a graph; the target does not say that it is capturable"
        return beyond(target.limits, case)
    if any(hostile_rule(case, call, target.limits.unit) for call in case.calls):
        return None
    return "nothing in it is hostile to this target"


def _given(case: Case, arena: Arena) -> Given:
    origin = arena.fit(case)
    return GivenLayout(caches(case, arena.memory())) if case.layers else GivenTable(case, origin)
