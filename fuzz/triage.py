"""From what was seen of a run to its verdict: the first kind that applies, top to bottom."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fuzz.layout import effects_of, lead, victim
from fuzz.rules import hostile_rule
from fuzz.verdict import Verdict, Wrong, in_words
from oracles import launches, pages, regions

if TYPE_CHECKING:
    from fuzz.case import Call, Case
    from fuzz.images import Image
    from fuzz.observation import Observation

SHOWN = 64
"""Wrong regions that a report names; all are counted."""

_ARGUMENTS = {"ids": "the list of ids that it was passed", "table": "a column of the segment table"}

_IN_PAGES = {
    "wrong": "were written, but not with zero",
    "stale": "had to be zero and are as before",
}

Found = tuple[str, str, str]
"""Kind, detail, words."""


class Scene(NamedTuple):
    """The image after a run, held against what had to happen; places count from the image's start."""

    case: Case
    effects: pages.Effects
    wrong: list[pages.Region]

    def whose(self, region: pages.Region) -> str:
        """The part of its page that a region covers, or the owner of the bytes that it damaged."""
        if region.kind == "clobbered":
            return victim(self.case, region.start, self.effects)
        return regions.part_of_page([region], self.effects)

    def of(self, kind: str) -> list[pages.Region]:
        """The wrong regions of one kind."""
        return [region for region in self.wrong if region.kind == kind]


def judge(
    case: Case,
    call: Call,
    seen: Observation,
    image: Image,
    device_profile: str,
    unit: int,
) -> Verdict | None:
    """The verdict of a call; None if it was right and more may follow.

    Args:
        case: what is run.
        call: the call of it that was made.
        seen: what was recorded of the call.
        image: what the call left in it, guard zones included.
        device_profile: whose launch limits name a rejected launch.
        unit: the target's unit in bytes.
    """
    rule = hostile_rule(case, call, unit) if case.domain == "hostile" else None
    if rule is None and seen.clean and _right(case, call, image):
        return None
    refused = seen.error is not None
    idle = refused or not seen.launches or seen.skipped(device_profile) is not None
    scene = _scene(case, call if rule is None else None, image, idle=idle)
    found: Found | None
    if rule is not None and not refused:
        found = ("accepted", rule, f"hostile input was taken: {rule}")
    elif rule is None and refused:
        scene = scene._replace(wrong=[region for region in scene.wrong if region.kind != "stale"])
        found = rejected(seen, device_profile)
    else:
        found = _skipped(seen, scene, device_profile) or _recompiled(seen) or _damaged(seen, scene)
    if not found:
        return Verdict("passed") if refused else None
    kind, detail, text = found
    ahead = lead(case)
    return Verdict(
        "finding",
        kind,
        detail,
        text=text,
        regions=tuple(Wrong(r.start - ahead, r.stop - ahead, r.kind, scene.whose(r)) for r in scene.wrong[:SHOWN]),
        wrong_bytes=bytes_in(scene.wrong),
        launches=tuple(f"{launch.kernel}{launch.grid}" for launch in seen.launches[:SHOWN]),
    )


def _right(case: Case, call: Call, image: Image) -> bool:
    """Whether a call surely did what it had to; else the full comparison tells."""
    if case.layers:
        return False
    ahead = lead(case)
    rows = [(s.base + ahead, s.stride, s.page) for s in case.segments]
    return image.is_right(rows, call.ids.stretches())


def _scene(case: Case, call: Call | None, image: Image, *, idle: bool) -> Scene:
    """The image, held against the effects of a call; of none, if the call had to be refused.

    Of an idle call, which looks as if it wrote nothing, that is asked first: bytes that are as they were take a tenth
    of the time of gigabytes that are wrong.
    """
    effects = effects_of(case, call.ids.distinct() if call else np.empty(0, np.int64))
    if idle and not image.wrong(pages.NOTHING):
        return Scene(case, effects, pages.undone(effects))
    return Scene(case, effects, image.wrong(effects))


def rejected(seen: Observation, device_profile: str) -> Found:
    """What refused contract input: the constructor, a launch limit, the compiler, or anything else."""
    words = in_words(seen.error)
    if not seen.constructed and not seen.launches:
        return "rejected", "compile" if _is_compile_error(seen.error) else "constructor", words
    if seen.launches:
        last = seen.launches[-1]
        ruling = launches.judge(last.grid, last.num_warps, device_profile)
        if ruling.outcome == "rejected":
            return "rejected", ruling.detail, words if ruling.reason in words else f"{words} ({ruling.reason})"
    if _is_compile_error(seen.error):
        return "rejected", "compile", words
    return "rejected", f"other-{type(seen.error).__name__}", words


def _is_compile_error(error: BaseException | None) -> bool:
    from triton.compiler.errors import CompilationError  # noqa: PLC0415 - only workers have Triton
    from triton.runtime.errors import OutOfResources  # noqa: PLC0415

    from fuzz.engines.simulator.faults import CompileRejected  # noqa: PLC0415

    return isinstance(error, CompilationError | OutOfResources | CompileRejected)


def _skipped(seen: Observation, scene: Scene, device_profile: str) -> Found | None:
    targeted = int((scene.effects.must[:, 1] - scene.effects.must[:, 0]).sum())
    if not targeted or bytes_in(scene.of("stale")) != targeted:
        return None
    if not seen.launches:
        return "skipped", "none", "no launch was recorded, and every targeted page is as before"
    ruling = seen.skipped(device_profile)
    return ruling and ("skipped", ruling.detail, f"{ruling.reason}; every targeted page is as before")


def _recompiled(seen: Observation) -> Found | None:
    change = seen.recompiled
    return change and ("recompiled", change.argument, change.words)


def _damaged(seen: Observation, scene: Scene) -> Found | None:
    clobbered = scene.of("clobbered")
    if clobbered:
        whose = scene.whose(clobbered[0])
        count = bytes_in(clobbered)
        return "clobbered", whose, f"{count} bytes changed that had to stay, the first of them: {whose}"
    for detail, changed in (("ids", seen.ids_changed), ("table", seen.table_changed)):
        if changed:
            return "clobbered", detail, f"the target changed {_ARGUMENTS[detail]}"
    for kind, words in _IN_PAGES.items():
        regions_of_kind = scene.of(kind)
        if regions_of_kind:
            part = regions.part_of_page(regions_of_kind, scene.effects)
            return kind, part, f"{bytes_in(regions_of_kind)} bytes {words}, first in one page: {part}"
    return None


def bytes_in(wrong: list[pages.Region]) -> int:
    """Bytes of all these regions."""
    return sum(region.stop - region.start for region in wrong)
