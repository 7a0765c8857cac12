"""The files that show how a campaign does while it runs: stats.json of now, plot.csv over time."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fuzz import whole

STATS, PLOT = "stats.json", "plot.csv"

STATS_SECONDS = 1.0
PLOT_SECONDS = 10.0
MOST_ROWS = 10_000
"""Rows of the plot: a day in steps of ten seconds; a longer run has longer steps."""

COLUMNS = ("seconds", "attempted", "rate_now", "finds", "deaths", "compiled", "memory")


class StatsFiles:
    """Writes both files; one that cannot be written is let be, for the journal says so in time.

    Args:
        folder: where they lie; rows of an earlier part of the run are kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rows = _rows(folder / PLOT)
        self._step = PLOT_SECONDS
        while len(self._rows) > 1 and _seconds(self._rows[-1]) - _seconds(self._rows[-2]) > 1.5 * self._step:
            self._step *= 2
        self._written = float("-inf")
        self._whole = False

    def due(self, seconds: float) -> bool:
        """Whether a second of the run has passed since the last time."""
        return seconds - self._written >= STATS_SECONDS

    def write(self, numbers: Mapping[str, Any]) -> None:
        """Replace stats.json, and add a row to plot.csv if it is time for one."""
        seconds = float(numbers["seconds"])
        self._written = seconds
        with contextlib.suppress(OSError):
            whole.write(self._folder / STATS, json.dumps(numbers, indent=2) + "\n", lasting=False)
            if not self._rows or seconds - _seconds(self._rows[-1]) >= self._step:
                self._row(",".join(str(numbers[name]) for name in COLUMNS))

    def _row(self, row: str) -> None:
        self._rows.append(row)
        if len(self._rows) > MOST_ROWS:
            self._rows = self._rows[::2]
            self._step *= 2
        elif self._whole:
            with (self._folder / PLOT).open("a") as file:
                file.write(row + "\n")
            return
        whole.write(self._folder / PLOT, "\n".join([",".join(COLUMNS), *self._rows]) + "\n", lasting=False)
        self._whole = True


def _rows(path: Path) -> list[str]:
    """Rows of a plot, without a last one that was cut short."""
    with contextlib.suppress(OSError):
        return [row for row in path.read_text().split("\n")[1:-1] if row.count(",") == len(COLUMNS) - 1]
    return []


def _seconds(row: str) -> float:
    return float(row.partition(",")[0])
