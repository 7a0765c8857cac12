"""One case on one target: make the zeroer, warm it up, then call by call lay the poison, call, read every byte."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass

from fuzz.arena import Arena
from fuzz.case import WHOLE, Call, Case
from fuzz.engines import NOTHING, Engine, EngineFailed, Unproved
from fuzz.engines.launch_hook import Launch, Watched
from fuzz.given import Given, Uploads, given_of
from fuzz.grids import SEEN
from fuzz.images import Image
from fuzz.large_arena import LargeArena, held
from fuzz.layout import total
from fuzz.observation import Observation
from fuzz.rules import hostile_rule
from fuzz.target import Target, beyond
from fuzz.triage import judge
from fuzz.verdict import Verdict, in_words
from fuzz.virtual_arena import VirtualArena
from fuzz.warming import BLOCKS_UNKNOWN, MADE, WARMING, Warm, warmup_of
from oracles import launches


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
        patience: most predicted seconds of all launches of a call; more leave the case unproved.
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
        run = Run(case, target, engine, arena, given_of(case, arena), patience, rehearse, on_launch)
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
    given: Given
    patience: float
    rehearse: bool
    on_launch: Callable[[float], None]
    zero: Callable[[list[object]], None] | None = None
    warm: Warm | None = None

    def judged(self, call: Call) -> Verdict | None:
        """Make one call; the verdict if the case ends with it, None if it was right and may go on."""
        self.arena.lay()
        return self.ended(call, self.made(call))

    def warm_up(self) -> Observation:
        """Make the zeroer and warm it up before anything is laid, if the case is not to be run cold."""
        return self._seen(self._construct) if self.warms else Observation()

    def made(self, call: Call) -> Observation:
        """Make one call, the zeroer before it if there is none yet; the image is not looked at."""
        ids = call.arguments()
        given = list(ids)

        def zero(seen: Observation, watched: Watched) -> None:
            made = self.zero or self._construct(seen, watched)
            seen.constructed = True
            made(given)

        seen = self._seen(zero)
        seen.ids_changed = _changed(ids, given)
        return seen

    def ended(self, call: Call, seen: Observation) -> Verdict | None:
        """The verdict of a call that was made, from what was seen of it and the image; None if it was right."""
        uploads: Uploads = []
        image: Image | None = None
        if not (seen.error or seen.unproved or seen.failure):
            try:
                self.engine.settle()
                uploads = self.given.uploads() if call is self.case.calls[-1] else []
                image = self.arena.read()
            except EngineFailed as failure:
                seen.failure = str(failure)
            except BaseException as error:
                seen.error = error
        if seen.failure:
            return Verdict("infra", text=seen.failure)
        if seen.error is not None:
            try:
                fault = self.engine.fault(self.case.volume)
            except Unproved as unproved:
                return Verdict("unproved", text=str(unproved))
            if fault:
                lost = not self.engine.survives_faults
                return Verdict("finding", *fault, text=in_words(seen.error), lost=lost)
        if self.rehearse:
            judged = seen.error or seen.skipped(self.engine.device_profile)
            seen.unproved = "" if judged else seen.unproved or "rehearsed only"
        if seen.unproved:
            return Verdict("unproved", text=seen.unproved)
        seen.table_changed = self.given.changed(uploads)
        profile, unit = self.engine.device_profile, self.target.limits.unit
        return judge(self.case, call, seen, image or self.arena.read(), profile, unit)

    def _seen(self, act: Callable[[Observation, Watched], object]) -> Observation:
        """What is seen of an act of the target, its launches decided on their way."""
        seen = Observation()
        try:
            with Watched(lambda launch: self.decide(launch, seen)) as watched:
                act(seen, watched)
            seen.recompiled = self.warm.added(watched.compiled) if self.warm else None
        except Unproved as unproved:
            seen.unproved = str(unproved)
        except EngineFailed as failure:
            seen.failure = str(failure)
        except BaseException as error:
            seen.error = error
        return seen

    @property
    def warms(self) -> bool:
        """Whether the target's warm-up, if it has one, is run.

        A cache whose first block has no memory, as where bases are biased, is left cold: a warm-up may
        clear a block of it.
        """
        return not self.case.cold and self.case.whole

    def _construct(self, seen: Observation, watched: Watched) -> Callable[[list[object]], None]:
        """Make the zeroer, warmed up if it can be; what its warm-up left in the arena is poisoned over."""
        zero = self.target.make(self.given.argument, self.engine.device)
        MADE.note(zero)
        warmup = warmup_of(zero) if self.warms else None
        if warmup is not None:
            launched = len(seen.launches)
            self.on_launch(WARMING)
            with self.engine.allocating():
                warmup(self.case.blocks if self.case.blocks_known else BLOCKS_UNKNOWN)
            self.warm = Warm(watched.compiled)
            watched.compiled.clear()
            del seen.launches[launched:]
            seen.seconds, seen.volume = 0.0, 0
            self.arena.lay()
        self.zero = zero
        return zero

    def decide(self, launch: Launch, seen: Observation) -> tuple[int, ...]:
        """What to do about a launch: run its grid, or nothing, or raise as a launcher would."""
        seen.launches.append(launch)
        SEEN.note(launch.grid, launch.num_warps)
        ruling = launches.judge(launch.grid, launch.num_warps, self.engine.device_profile)
        if ruling.outcome != "runs":
            return self.engine.admit(launch, ruling)
        if self.rehearse:
            return NOTHING
        volume = max(0, (self.case.volume if seen.constructed else self.case.block_volume) - seen.volume)
        seen.volume += volume
        seconds = self.engine.seconds(launch, volume)
        seen.seconds += seconds
        if seen.seconds > self.patience:
            which = f"grid {launch.grid}" if len(seen.launches) == 1 else f"{len(seen.launches)} launches or more"
            seen.unproved = f"{which} would take about {seen.seconds:.1f} s in {self.engine.name}"
            raise Unproved(seen.unproved)
        self.on_launch(seconds)
        return self.engine.admit(launch, ruling)


def _changed(ids: list[object], given: list[object]) -> bool:
    """Whether a list is not as it was; mostly its entries are the very same objects."""
    if len(ids) == len(given) and all(map(operator.is_, ids, given)):
        return False
    return ids != given or list(map(type, ids)) != list(map(type, given))


def _refused(case: Case, target: Target, engine: Engine) -> Verdict | None:
    reason = declined(case, target)
    if reason:
        return Verdict("declined", text=reason)
    if case.overlaps and engine.streams is None:
        return Verdict("unproved", text=f"calls in flight together: {engine.name} makes them one by one; a GPU can")
    return None


def declined(case: Case, target: Target) -> str | None:
    """Why a target is not asked a case, in words; None if it is."""
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
