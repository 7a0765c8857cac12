"""The scoreboard for people: a page of tables, and what they come to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fuzz.bench.scoreboard_drawing import svg
from fuzz.bench.scoreboard_rows import counted, runs_by_finder, runs_of
from fuzz.bench.scoreboard_words import Rivals, rivals, words
from fuzz.bench.subjects import KINDS
from fuzz.bench.survival import Run, median, restricted_mean


def write(report: dict[str, Any], folder: Path) -> list[Path]:
    """Write ``scoreboard.json``, ``scoreboard.md`` and a drawing for each kind of subject; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    drawings = {kind: svg(runs_by_finder(report, kind), report["cases"]) for kind in KINDS}
    texts = {
        "scoreboard.json": json.dumps(report, indent=1) + "\n",
        "scoreboard.md": page(report),
        **{f"{kind}s.svg": drawing for kind, drawing in drawings.items() if drawing},
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def page(report: dict[str, Any]) -> str:
    """The tables: finders side by side, then each subject."""
    lines = [
        "# Finding power",
        "",
        _origin(report),
        "",
    ]
    for kind in KINDS:
        found = runs_by_finder(report, kind)
        if found:
            lines += [f"## {kind.capitalize()}s", "", *_finders(report, kind, found), "", f"![]({kind}s.svg)", ""]
            others = rivals(report, kind)
            lines += [*_subjects(report, kind, others), "", *words(report, kind, others)]
    lines += [f"Missed by ours: {', '.join(report['missed']) or 'none'}.", ""]
    if report.get("sometimes_missed"):
        lines += [f"Missed by ours with some seeds: {', '.join(report['sometimes_missed'])}.", ""]
    if report["not_run"]:
        lines += [f"Not run, for they need a GPU: {', '.join(report['not_run'])}.", ""]
    return "\n".join(lines)


def _origin(report: dict[str, Any]) -> str:
    machine = report["machine"]
    return (
        f"Written by `kvzero bench finders`: {len({row['name'] for row in report['rows']})} subjects, seeds "
        f"{', '.join(map(str, report['seeds']))}, given up after {report['cases']} cases, on {machine['device']} "
        f"({machine['processor']}, {machine['cores']} cores), Python {machine['python']}, torch {machine['torch']}, "
        f"Triton {machine['triton']}."
    )


def _finders(report: dict[str, Any], kind: str, runs: dict[str, list[Run]]) -> list[str]:
    lines = [
        "| finder | runs | reached | triggered | detected | median cases | restricted mean (95 %) | seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for finder, found in runs.items():
        rows = [row for row in counted(report, kind) if row["finder"] == finder]
        mean, low, high = restricted_mean(found, report["cases"])
        told = [sum(bool(row.get(name)) for row in rows) for name in ("reached", "triggered")]
        predicted = map(str, told) if kind == "specimen" else ("", "")
        seconds = sum(row["seconds"] for row in rows) / len(rows)
        lines.append(
            f"| {finder} | {len(rows)} | {' | '.join(predicted)} | {sum(run.found for run in found)} | "
            f"{_or_more(median(found), report['cases'])} | {mean:.1f} ({low:.1f} to {high:.1f}) | {seconds:.2f} |"
        )
    return lines


def _subjects(report: dict[str, Any], kind: str, others: Rivals) -> list[str]:
    rows = counted(report, kind)
    finders = list(dict.fromkeys(row["finder"] for row in rows))
    heads = [f"{finder}: found, median" for finder in finders] + [f"beside {rival}: A12, p" for rival in others]
    lines = [f"| {kind} | {' | '.join(heads)} | buckets |", f"|---|{'---|' * (len(heads) + 1)}"]
    for name in dict.fromkeys(row["name"] for row in rows):
        cells = []
        for finder in finders:
            mine = [row for row in rows if row["name"] == name and row["finder"] == finder]
            runs = runs_of(mine, report["cases"])
            found = sum(run.found for run in runs)
            cells.append(f"{found} of {len(runs)}, {_or_more(median(runs), report['cases'])}" if runs else "")
        cells += [f"{held[name].a12:.2f}, {held[name].p:.4f}" for held in others.values()]
        buckets = sorted({row["bucket"] for row in rows if row["name"] == name and row["found"]})
        lines.append(f"| {name} | {' | '.join(cells)} | {', '.join(buckets)} |")
    return lines


def _or_more(cases: int | None, limit: int) -> str:
    return f"over {limit}" if cases is None else str(cases)
