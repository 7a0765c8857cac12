"""The terminal: a live line, each find as a paragraph, and the numbers at the end."""

from __future__ import annotations

import time
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from fuzz.events import BATCH_ONLY, Ended, Event, Find, Progress, Report, Saved, Settled, Started, Warned
from fuzz.reports import words

SHOWN = 4
"""Wrong regions that a find's paragraph names."""

BETWEEN_LINES = 10.0
"""Seconds between progress lines where there is no terminal to redraw one on."""


class Terminal:
    """Writes a run's events to standard error.

    Args:
        quiet: leave out everything but finds, warnings and the last line.
        console: where to write.
    """

    def __init__(self, *, quiet: bool, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True, soft_wrap=True, highlight=False, emoji=False)
        self._quiet = quiet
        self._last = time.monotonic()
        self._live = False

    def __call__(self, event: Event) -> None:
        """Write one event."""
        if isinstance(event, Progress):
            self._progress(event)
            return
        self._clear()
        if isinstance(event, Started) and not self._quiet:
            together = f" · {event.workers} workers" if event.workers > 1 else ""
            whole = f" of {event.whole.size} cases" if event.whole else ""
            self._print(
                f"seed {event.seed} · {', '.join(event.targets)} · profiles {', '.join(event.profiles)}{whole} · "
                f"{event.engine} on {event.device} under {event.device_profile} limits{together} · "
                f"finds go to {event.corpus}"
            )
        elif isinstance(event, Saved):
            where = event.find.path or "no file"
            self._print(f"find: {event.find.bucket}, saved to {where}; shrinking")
        elif isinstance(event, Settled):
            self._print(paragraph(event.find))
        elif isinstance(event, Warned):
            self._print(f"warning: {event.text}")
        elif isinstance(event, Ended):
            self._print(ending(event.report))

    def _progress(self, event: Progress) -> None:
        left = "no limit" if event.seconds_left is None else f"{event.seconds_left:.0f} s left"
        parts = [f"{event.attempted} cases", f"{event.rate:.0f}/s", f"{event.finds} finds", left]
        if event.workers > 1:
            parts.append(f"{event.workers} workers")
        if event.pairs is not None:
            parts.append(f"{event.pairs:.0f} % of feature pairs")
        if event.shares:
            parts.append(", ".join(f"{name} {share:.0%}" for name, share in event.shares.items()))
        line = " · ".join(parts)
        if self._quiet:
            return
        if self._console.is_terminal:
            self._console.print(f"\r\x1b[K{escape(line)[: self._console.width - 1]}", end="", markup=False)
            self._live = True
        elif time.monotonic() - self._last >= BETWEEN_LINES:
            self._last = time.monotonic()
            self._print(line)

    def _clear(self) -> None:
        if self._live:
            self._console.print("\r\x1b[K", end="", markup=False)
            self._live = False

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False)


def paragraph(find: Find) -> str:
    """A find in words, its replay command first and last."""
    replay = command(find.path)
    shown, times = find.replays or (0, 0)
    lines = [replay, str(find.bucket), f"  {find.verdict.text}"]
    lines += [f"  {words.of_region(wrong)}" for wrong in find.verdict.regions[:SHOWN]]
    if len(find.verdict.regions) > SHOWN:
        lines.append(f"  and more, {find.verdict.wrong_bytes} bytes in all")
    parts = words.of_case(find.case)
    lines += [f"  {part}" for part in parts[: 2 * SHOWN]]
    if len(parts) > 2 * SHOWN:
        lines.append(f"  and {len(parts) - 2 * SHOWN} lines more")
    end = "smallest case" if find.smallest else "not shrunk to the end"
    if find.label == BATCH_ONLY:
        end += f"; {BATCH_ONLY}: its cases show it together"
    lines.append(f"  {shown} of {times} replays show it; {end}" if times else f"  not replayed, time was up; {end}")
    lines.append(replay)
    return "\n".join(lines)


def command(path: Path | None) -> str:
    """The command that replays a case file."""
    return f"kvzero replay {path}" if path else "in no file: save the case above, and kvzero replay it"


def ending(report: Report) -> str:
    """The last lines: why the run stopped, counts that close, finds, the seed and what to do next."""
    counts = ", ".join(f"{count} {outcome}" for outcome, count in report.counts.items())
    rate = report.attempted / max(report.seconds, 1e-9)
    lines = [
        f"stopped: {report.stop_reason} after {report.seconds:.1f} s · seed {report.seed}",
        f"{report.attempted} attempted = {counts} · {rate:.0f} cases/s",
    ]
    if report.whole:
        lines.append(f"exhaustive: {report.done} of {report.whole.size} cases tried")
    if report.compiled:
        lines.append(f"kernels compiled: {report.compiled}, one for each set of constants and argument classes")
    if report.trouble:
        lines.append(f"trouble: {report.trouble}")
    for one in report.open:
        now = f", now {one.now}" if one.state == "changed" else ""
        lines.append(f"open: {one.bucket}: {one.state}{now} · {command(Path(one.case))}")
    for find in report.distinct:
        if find.known:
            lines.append(f"known: {find.bucket} in {find.count} cases")
        else:
            label = f" · {find.label}" if find.label == BATCH_ONLY else ""
            lines.append(f"find: {find.bucket} in {find.count} cases{label} · {command(find.path)}")
    if any(not find.known for find in report.distinct):
        lines.append("next: kvzero explain CASE shows the bytes; kvzero corpus accept CASE keeps it for good")
    return "\n".join(lines)
