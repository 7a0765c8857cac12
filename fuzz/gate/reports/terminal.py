"""The gate on a terminal: a line for each check, a paragraph for each find that counts, the verdict last."""

from __future__ import annotations

from rich.console import Console

from fuzz.gate.events import Began, CheckEnded, Event, FileTried, FindDecided, Over, Warned
from fuzz.gate.reports.words import of_find, replay
from fuzz.gate.results import Decided, GateReport, Standing
from fuzz.reports import words
from fuzz.verdict import Bucket

SHOWN = 4
"""Wrong regions, and lines of a case, that a find's paragraph names."""


SHOWN_AT_ONCE: tuple[Standing, ...] = ("new", "undecided", "information")
"""What has a paragraph: what counts, and what a fresh seed met, which somebody asked for."""


class Terminal:
    """Writes a gate's events to standard error.

    Args:
        quiet: leave out everything but new finds, warnings and the verdict.
        console: where to write.
    """

    def __init__(self, *, quiet: bool, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True, soft_wrap=True, highlight=False, emoji=False)
        self._quiet = quiet
        self._target = ""
        self._told: set[Bucket] = set()

    def __call__(self, event: Event) -> None:
        """Write one event."""
        if isinstance(event, Began):
            self._target = event.report.target
            self._print(_beginning(event.report), detail=True)
        elif isinstance(event, CheckEnded):
            check = event.check
            self._print(f"{check.name:<11} {check.state:<15}{check.seconds:6.1f} s  {check.words}", detail=True)
        elif isinstance(event, FindDecided | FileTried):
            one = event.decided
            if one and one.standing in SHOWN_AT_ONCE and one.finding.bucket not in self._told:
                self._told.add(one.finding.bucket)
                self._print(paragraph(one, self._target), detail=one.standing == "information")
        elif isinstance(event, Warned):
            self._print(f"warning: {event.text}", detail=False)
        else:
            self._over(event)

    def _over(self, event: Over) -> None:
        report = event.report
        for find in report.finds:
            self._print(of_find(find), detail=find.shown.standing != "new")
        for line in report.unproved:
            self._print(f"unproved: {line}", detail=True)
        self._print(report.line, detail=False)

    def _print(self, text: str, *, detail: bool) -> None:
        if not (detail and self._quiet):
            self._console.print(text, markup=False)


def _beginning(report: GateReport) -> str:
    base = report.base or "no base"
    hashes = [content[:8] for content in report.contents.values()]
    return (
        f"gate: {report.target} against {base} · content {' and '.join(hashes)} · mode {report.mode} · "
        f"seed {report.seed} · {report.engine} on {report.device} under {report.device_profile} limits"
        + (f"\nwarning: {report.base_trouble}; every find counts as new" if report.base_trouble else "")
    )


def paragraph(one: Decided, target: str) -> str:
    """A find in words, its replay command last."""
    found = one.finding
    lines = [f"{one.standing}: {found.bucket}: {one.reason}", f"  {found.verdict.text}"]
    lines += [f"  {words.of_region(wrong)}" for wrong in found.verdict.regions[:SHOWN]]
    parts = words.of_case(found.case)
    lines += [f"  {part}" for part in parts[:SHOWN]]
    lines += [f"  and {len(parts) - SHOWN} lines more"] if len(parts) > SHOWN else []
    if one.replays:
        lines.append(f"  {one.replays[0]} of {one.replays[1]} replays show it")
    lines.append(f"  {replay(one, target)}")
    return "\n".join(lines)
