"""Survival curves as a drawing."""

from __future__ import annotations

from math import log

from fuzz.bench.survival import Run, curve

WIDTH, HEIGHT, MARGIN = 640, 320, 40
COLOURS = {"ours": "#0b6", "uniform": "#06c", "given": "#c60", "static": "#888", "corpus": "#c0c", "exhaustive": "#000"}

_HEAD = (
    f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" '
    'font-size="11"><rect width="100%" height="100%" fill="white"/>'
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
        for step in (one for one in curve(found) if one.cases <= limit):
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
