"""Verbs that measure: ``kvzero bench engines``, ``fuzzer``."""

from __future__ import annotations

import json as json_module
import sys
from typing import Annotated

import typer

from fuzz.bench import engines as of_engines
from fuzz.bench import fuzzer as of_fuzzer
from fuzz.bench import kernel as of_kernel
from fuzz.bench.case_set import CASES
from fuzz.bench.geometries import parsed
from fuzz.cli import options

app = typer.Typer(help="Measure, baselines and ours side by side.", no_args_is_help=True)


def _on_standard_error(words: str) -> None:
    sys.stderr.write(words + "\n")


@app.command()
def engines(json: options.Json = False) -> None:  # noqa: FBT002
    """The simulator beside the interpreter, on a fixed set of cases; one launch of 12 million programs.

    Example: kvzero bench engines --json
    """
    _print(of_engines.run(_on_standard_error), json=json)


@app.command()
def fuzzer(
    target: Annotated[str, typer.Option(help="A target that is right and takes a table.")] = options.DEFAULT_TARGET,
    engine: options.Engine = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes of the last row; default: what suits the machine.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="How often each driver is measured.")] = of_fuzzer.ROUNDS,
    cases: Annotated[int, typer.Option(min=1, help="How many of the fixed set.")] = CASES,
    json: options.Json = False,  # noqa: FBT002
) -> None:
    """Cases a second: a naive loop, the same under Hypothesis, the search in one process and in many.

    Example: kvzero bench fuzzer --engine cuda --json
    """
    options.checked([target], engine, None)
    report = of_fuzzer.run(
        _on_standard_error, target=target, engine=engine, cases=cases, rounds=rounds, workers=workers
    )
    _print(report, json=json)


@app.command()
def kernel(
    target: options.Targets = None,
    geometry: Annotated[
        list[str] | None,
        typer.Option(help="A cache beside the fixed ones, as SEGMENTSxPAGE+...@BLOCKS:IDS; may be repeated."),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="How often each target is timed.")] = of_kernel.ROUNDS,
    json: options.Json = False,  # noqa: FBT002
) -> None:
    """GB/s of useful bytes and the host's time for a call, on six geometries; takes a GPU.

    Example: kvzero bench kernel --target my_kernel.py:zeroer --geometry 24x65536@1024:128
    """
    chosen = options.checked(target, None, None) if target else ()
    geometries = [parsed(text) for text in geometry or ()]
    report = of_kernel.run(_on_standard_error, targets=chosen, geometries=geometries, rounds=rounds)
    _print(report, json=json)


def _print(report: dict[str, object], *, json: bool) -> None:
    if json:
        sys.stdout.write(json_module.dumps(report, indent=2) + "\n")
        return
    for row in report["rows"]:  # type: ignore[attr-defined]
        sys.stdout.write(", ".join(f"{key} {value}" for key, value in row.items()) + "\n")
    for name, value in report.items():
        if name.startswith("speedup"):
            sys.stdout.write(f"{name} {value}\n")
