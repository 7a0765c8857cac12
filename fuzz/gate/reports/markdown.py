"""The gate as a page of Markdown, for a job's summary or a comment on a change."""

from __future__ import annotations

from fuzz.gate.reports.words import replay, where
from fuzz.gate.results import Find, GateReport


def page(report: GateReport) -> str:
    """The verdict, a table of checks, a table of finds, how to see each again, what is left unproved."""
    base = f"`{report.base}`" if report.base else "no base"
    engine = f"{report.engine} under {report.device_profile} limits"
    head = f"`{report.target}` against {base}, mode {report.mode}, seed {report.seed}, {engine}, {report.seconds:.0f} s"
    lines = [
        f"## {_cell(report.line)}",
        "",
        head,
        "",
        "| check | state | seconds | evidence |",
        "|---|---|---|---|",
    ]
    lines += [f"| {one.name} | {one.state} | {one.seconds:.1f} | {_cell(one.words)} |" for one in report.checks]
    if report.finds:
        lines += ["", "| find | standing | cases | why |", "|---|---|---|---|"]
        lines += [_row(find) for find in report.finds]
    commands = [replay(find.shown, report.target) for find in report.finds if find.shown.standing == "new"]
    if commands:
        lines += ["", "```", *commands, "```"]
    if report.base_trouble:
        lines += ["", f"Every find counts as new: {_cell(report.base_trouble)}."]
    if report.unproved:
        lines += ["", "Left unproved:", "", *(f"* {_cell(words)}" for words in report.unproved)]
    return "\n".join([*lines, ""])


def _row(find: Find) -> str:
    shown = find.shown
    return f"| `{shown.finding.bucket}` | {shown.standing} | {where(find)} | {_cell(shown.reason)} |"


def _cell(text: str) -> str:
    """Text that breaks no table and starts no tag."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
