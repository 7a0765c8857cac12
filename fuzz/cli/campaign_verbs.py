"""Verbs on campaigns: how they do, and what they found together."""

from __future__ import annotations

import contextlib
import json as json_text
import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from fuzz import campaign_folder
from fuzz.campaign_folder import CampaignFolder
from fuzz.cli import options
from fuzz.cli.fuzz_verb import exit_code
from fuzz.merging import merge as merge_folders
from fuzz.merging import report_of
from fuzz.reports.json_report import as_json
from fuzz.reports.stats_files import STATS
from fuzz.reports.terminal import ending
from fuzz.runner import FINISHED

Folders = Annotated[list[Path], typer.Argument(help="Folders of campaigns, as given to fuzz --dir.")]

WIDE = 200
"""Characters of a line where no terminal says how many fit."""

COLUMNS = {
    "campaign": "campaign",
    "state": "state",
    "attempted": "attempted",
    "rate": "cases/s",
    "finds": "finds",
    "seconds_since_find": "s since find",
    "stop_reason": "stopped",
}


def status(folders: Folders, json: options.Json = False) -> None:  # noqa: FBT002
    """Show how campaigns do: running, finished, ended by a signal or trouble, or killed.

    Example: kvzero status campaigns/*
    """
    rows = [_row(campaign_folder.find(folder, "status")) for folder in folders]
    if json:
        sys.stdout.write(json_text.dumps(rows, indent=2) + "\n")
        return
    table = Table(box=None, pad_edge=False)
    for title in COLUMNS.values():
        table.add_column(title)
    for row in rows:
        table.add_row(*("-" if row[name] is None else str(row[name]) for name in COLUMNS))
    Console(highlight=False, width=None if sys.stdout.isatty() else WIDE).print(table)


def merge(folders: Folders, corpus: options.Corpus = None, json: options.Json = False) -> None:  # noqa: FBT002
    """Bring the finds of campaigns together: one file a bucket, its smallest case, counts added.

    Exits like fuzz.

    Example: kvzero merge campaigns/* --corpus corpus
    """
    found = [campaign_folder.find(folder, "merge") for folder in folders]
    distinct = list({folder.path.resolve(): folder for folder in found}.values())
    report = merge_folders(distinct, options.corpus_folder(corpus))
    sys.stderr.write(ending(report) + "\n")
    if json:
        sys.stdout.write(as_json(report) + "\n")
    raise typer.Exit(exit_code(report, hostile=any(folder.written.plan.hostile for folder in distinct)))


def _row(folder: CampaignFolder) -> dict[str, Any]:
    busy = folder.busy
    report = report_of(folder)
    stats: dict[str, Any] = {}
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        stats = msgspec.json.decode((folder.path / STATS).read_bytes(), type=dict[str, Any])
    state = "running" if busy else _ended(report.stop_reason)
    mean = round(report.attempted / report.seconds, 1) if report.seconds else 0.0
    return {
        "campaign": str(folder.path),
        "state": state,
        "attempted": report.attempted,
        "rate": stats.get("rate_now", mean) if busy else mean,
        "finds": report.new_finds,
        "seconds_since_find": stats.get("seconds_since_find"),
        "seconds": round(report.seconds, 1),
        "workers": stats.get("workers"),
        "stop_reason": report.stop_reason or None,
        "trouble": report.trouble,
    }


def _ended(reason: str) -> str:
    """One word for a campaign that nobody works on: a killed one could not say why it stopped."""
    if not reason:
        return "killed"
    return "finished" if reason in FINISHED else "stopped"
