"""What a finding means: shrunk, replayed, held against the base, looked up among the waivers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from fuzz import corpus
from fuzz.case import Case
from fuzz.codec import encode
from fuzz.errors import KvzeroError
from fuzz.findbook import DEADLY_REPLAYS, REPLAYS
from fuzz.gate.events import Warned
from fuzz.gate.ground import Ground
from fuzz.gate.results import Decided, Finding, Standing
from fuzz.hands import asking
from fuzz.shrink import shrink
from fuzz.verdict import Bucket, Verdict
from fuzz.waiting import Abandoned

SHRINK_SECONDS = 60.0
"""Longest that one find is shrunk."""

SHRINK_SHARE = 0.5
"""Part of the time left that one find is shrunk for: the next checks must not starve."""

Elsewhere = Callable[[str], bool | None]
"""Whether the base shows a label on other cases of the same check; None if there is no time to find out."""


def decided(ground: Ground, check: str, findings: list[Finding], elsewhere: Elsewhere) -> list[Decided]:
    """Decide findings, and those of other buckets that shrinking meets.

    What is shrunk quickly comes first: not what costs a worker each time, nor launches, which often are old anyway.

    Args:
        ground: what to work with.
        check: who met them.
        findings: one a bucket; those that are corpus files are not shrunk.
        elsewhere: asked for launch kinds, of which any case of the base's will do.
    """
    waiting = sorted(findings, key=lambda finding: (finding.verdict.lost, _of_launch(finding.bucket), finding.bucket))
    buckets = {finding.bucket for finding in waiting}
    done: list[Decided] = []

    def other(beside: Finding, case: Case, verdict: Verdict) -> None:
        bucket = ground.bucket(verdict)
        if bucket not in buckets:
            buckets.add(bucket)
            waiting.append(Finding(bucket, case, verdict, beside.profile, 0))

    while waiting:
        one = _decided(ground, check, waiting.pop(0), elsewhere, other)
        if one.standing == "new":
            ground.new.add(one.finding.bucket)
        done.append(one)
    return done


def _decided(
    ground: Ground,
    check: str,
    finding: Finding,
    elsewhere: Elsewhere,
    other: Callable[[Finding, Case, Verdict], None],
) -> Decided:
    if finding.bucket.kind == "accepted" and not ground.request.strict:
        return Decided(finding, check, "accepted", "hostile input was taken; it blocks with --strict")
    if finding.bucket in ground.new:
        return Decided(finding, check, "new", "as an earlier check found")
    try:
        kept, late = (finding, False) if finding.path else _shrunk(ground, finding, other)
    except KvzeroError as error:
        return _troubled(ground, check, finding, str(error))
    # First the base: replays of what kills workers can take all the time that is left.
    standing, reason = _standing(ground, kept, elsewhere, late=late)
    replays, trouble = None, ""
    try:
        kept, replays = _replayed(ground, kept)
    except KvzeroError as error:
        trouble = str(error)
    standing, reason = excused(ground, kept.bucket, standing, reason)
    if standing == "new" and kept.path is None:
        kept = _saved(ground, kept)
    return Decided(kept, check, standing, reason, replays, late, trouble)


def _troubled(ground: Ground, check: str, finding: Finding, trouble: str) -> Decided:
    """What a find means whose case could not be shrunk: it was met, so without a base it is new as it is."""
    base = ground.base.trouble
    standing: Standing = "new" if base else "undecided"
    reason = f"{base.partition(':')[0]}; {trouble}" if base else trouble
    standing, reason = excused(ground, finding.bucket, standing, reason)
    if standing == "new" and finding.path is None:
        finding = _saved(ground, finding)
    return Decided(finding, check, standing, reason, trouble=trouble)


def excused(ground: Ground, bucket: Bucket, standing: Standing, reason: str) -> tuple[Standing, str]:
    """What a find means once the waivers were asked: one that is new may be waived."""
    waiver = ground.waivers.get(bucket.label)
    if standing != "new" or waiver is None:
        return standing, reason
    return "waived", f"until {waiver.expires} by {waiver.owner}: {waiver.reason} ({waiver.link})"


def _of_launch(bucket: Bucket) -> bool:
    """Whether a launch was refused or skipped."""
    return bucket.kind == "skipped" or bucket.detail.startswith("launch-")


def _standing(ground: Ground, finding: Finding, elsewhere: Elsewhere, *, late: bool) -> tuple[Standing, str]:
    """Old if the base shows the same: on the same case, or, for a launch that is refused or skipped, on any.

    The case at which time ended a shrink is another one on another machine, and decides nothing.
    """
    base = ground.base
    label = finding.bucket.label
    if base.trouble:
        return "new", base.trouble.partition(":")[0]
    shown = None if late else base.label(finding.case, finding.path)
    if shown is None and not late:
        return "undecided", "there was no time to run the base on it"
    if shown == label:
        return "old", "the base shows it on the same case"
    if _of_launch(finding.bucket):
        met = elsewhere(label)
        if met is None:
            return "undecided", "there was no time to run the base on the same cases"
        if met:
            return "old", "the base shows it on other cases of this check"
    if late:
        return "undecided", "shrinking it was cut short"
    return "new", f"on the same case the base's outcome is {shown}"


def _replayed(ground: Ground, finding: Finding) -> tuple[Finding, tuple[int, int]]:
    """A finding as its case shows it again, or as unstable; how many of how many replays showed it.

    Raises:
        KvzeroError: if no worker runs it.
    """
    most = DEADLY_REPLAYS if finding.verdict.lost else REPLAYS
    shown = times = 0
    while times < most and not ground.control.interrupted:
        try:
            verdict = ground.hands.attempt(finding.case, ground.target)
        except Abandoned:
            break
        times += 1
        if verdict.shows(finding.bucket):
            shown += 1
            finding = dataclasses.replace(finding, verdict=verdict)
    if shown < times:
        bucket, verdict = finding.bucket.unstable(shown, times)
        finding = dataclasses.replace(finding, bucket=bucket, verdict=verdict)
    return finding, (shown, times)


def _shrunk(ground: Ground, finding: Finding, other: Callable[[Finding, Case, Verdict], None]) -> tuple[Finding, bool]:
    shrunk = shrink(
        finding.case,
        finding.bucket,
        asking(ground.hands, ground.target, lambda: ground.control.interrupted),
        profile=finding.profile,
        unit=ground.unit,
        seconds=min(SHRINK_SECONDS, SHRINK_SHARE * (ground.control.left or 0.0)),
        deadly=finding.verdict.lost,
        on_other=lambda case, verdict: other(finding, case, verdict),
    )
    return dataclasses.replace(finding, case=shrunk.case), shrunk.late


def _saved(ground: Ground, finding: Finding) -> Finding:
    try:
        return dataclasses.replace(finding, path=corpus.keep(ground.request.finds, finding.case, finding.bucket))
    except OSError as error:
        words = f"corpus={ground.request.finds}: {error.strerror}; the find below is in no file"
        ground.tell(Warned(f"{words}\n{finding.bucket}\n{encode(finding.case)}"))
        return finding
