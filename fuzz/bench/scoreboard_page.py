"""The scoreboard for people: a page of tables, and survival curves as drawings."""

from __future__ import annotations

import json
from collections import defaultdict
from math import log
from pathlib import Path
from typing import Any

from fuzz.bench.survival import Run, curve, median, restricted_mean

WIDTH, HEIGHT, MARGIN = 640, 320, 40
COLOURS = {"ours": "#0b6", "uniform": "#06c", "given": "#c60", "static": "#888"}

Row = dict[str, Any]

_HEAD = (
    f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" '
    'font-size="11"><rect width="100%" height="100%" fill="white"/>'
)


def write(report: dict[str, Any], folder: Path) -> list[Path]:
    """Write ``scoreboard.json``, ``scoreboard.md`` and a drawing for specimens and one for mutants; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    drawings = {kind: svg(_runs_by_finder(report, kind), report["cases"]) for kind in ("specimen", "mutant")}
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
    for kind in ("specimen", "mutant"):
        found = _runs_by_finder(report, kind)
        if found:
            lines += [f"## {kind.capitalize()}s", "", *_finders(report, kind, found), "", f"![]({kind}s.svg)", ""]
            lines += [*_subjects(report, kind), ""]
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


def svg(runs: dict[str, list[Run]], limit: int) -> str:
    """Survival curves, a line for each finder; empty if there are none."""
    if not runs:
        return ""
    parts = [
        _HEAD,
        f'<text x="{MARGIN}" y="16">share of runs without a find, by cases (logarithmic, 1 to {limit})</text>',
    ]
    for number, (finder, found) in enumerate(runs.items()):
        points, height = [(1.0, 1.0)], 1.0
        for step in curve(found):
            points += [(float(step.cases), height), (float(step.cases), step.surviving)]
            height = step.surviving
        points.append((float(limit), height))
        line = " ".join(f"{_x(cases, limit):.1f},{_y(share):.1f}" for cases, share in points)
        colour = COLOURS.get(finder, "#000")
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{WIDTH - MARGIN - 60}" y="{MARGIN + 14 * number}" fill="{colour}">{finder}</text>')
    parts.append(
        f'<path d="M{MARGIN},{MARGIN} V{HEIGHT - MARGIN} H{WIDTH - MARGIN}" fill="none" stroke="#000"/></svg>\n'
    )
    return "\n".join(parts)


def _x(cases: float, limit: int) -> float:
    return MARGIN + (WIDTH - 2 * MARGIN) * log(max(cases, 1.0)) / log(max(limit, 2))


def _y(share: float) -> float:
    return MARGIN + (HEIGHT - 2 * MARGIN) * (1 - share)


def _counted(report: dict[str, Any], kind: str) -> list[Row]:
    return [row for row in report["rows"] if row["kind"] == kind and row["bucket"] != "rejected:compile"]


def _runs_by_finder(report: dict[str, Any], kind: str) -> dict[str, list[Run]]:
    found: defaultdict[str, list[Run]] = defaultdict(list)
    for row in _counted(report, kind):
        found[row["finder"]].append(_run(row, report["cases"]))
    return dict(found)


def _run(row: Row, limit: int) -> Run:
    """A row as a run; a suite that is at its end without a find would find nothing later either."""
    return Run(row["cases"] if row["found"] else limit, row["found"])


def _finders(report: dict[str, Any], kind: str, runs: dict[str, list[Run]]) -> list[str]:
    lines = [
        "| finder | runs | reached | triggered | detected | median cases | restricted mean (95 %) | seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for finder, found in runs.items():
        rows = [row for row in _counted(report, kind) if row["finder"] == finder]
        mean, low, high = restricted_mean(found, report["cases"])
        told = [sum(bool(row.get(name)) for row in rows) for name in ("reached", "triggered")]
        words = map(str, told) if kind == "specimen" else ("", "")
        seconds = sum(row["seconds"] for row in rows) / len(rows)
        lines.append(
            f"| {finder} | {len(rows)} | {' | '.join(words)} | {sum(run.found for run in found)} | "
            f"{_or_more(median(found), report['cases'])} | {mean:.1f} ({low:.1f} to {high:.1f}) | {seconds:.2f} |"
        )
    return lines


def _subjects(report: dict[str, Any], kind: str) -> list[str]:
    rows = _counted(report, kind)
    finders = list(dict.fromkeys(row["finder"] for row in rows))
    heads = [f"{finder}: found, median" for finder in finders]
    lines = [f"| {kind} | {' | '.join(heads)} | buckets |", f"|---|{'---|' * (len(heads) + 1)}"]
    for name in dict.fromkeys(row["name"] for row in rows):
        cells = []
        for finder in finders:
            mine = [row for row in rows if row["name"] == name and row["finder"] == finder]
            runs = [_run(row, report["cases"]) for row in mine]
            found = sum(run.found for run in runs)
            cells.append(f"{found} of {len(runs)}, {_or_more(median(runs), report['cases'])}" if runs else "")
        buckets = sorted({row["bucket"] for row in rows if row["name"] == name and row["found"]})
        lines.append(f"| {name} | {' | '.join(cells)} | {', '.join(buckets)} |")
    return lines


def _or_more(cases: int | None, limit: int) -> str:
    return f"over {limit}" if cases is None else str(cases)
