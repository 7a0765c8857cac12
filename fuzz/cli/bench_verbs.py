"""Verbs that measure: ``kvzero bench engines``."""

from __future__ import annotations

import json as json_module
import sys

import typer

from fuzz.bench import engines as of_engines
from fuzz.cli import options

app = typer.Typer(help="Measure, baselines and ours side by side.", no_args_is_help=True)


def _on_standard_error(words: str) -> None:
    sys.stderr.write(words + "\n")


@app.command()
def engines(json: options.Json = False) -> None:  # noqa: FBT002
    """The simulator beside the interpreter, on a fixed set of cases; one launch of 12 million programs.

    Example: kvzero bench engines --json
    """
    report = of_engines.run(_on_standard_error)
    if json:
        sys.stdout.write(json_module.dumps(report, indent=2) + "\n")
        return
    for row in report["rows"]:  # type: ignore[attr-defined]
        sys.stdout.write(", ".join(f"{key} {value}" for key, value in row.items()) + "\n")
    sys.stdout.write(f"speedup {report['speedup']}\n")
