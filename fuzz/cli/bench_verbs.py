"""Verbs that measure: ``kvzero bench engines``, ``fuzzer``, ``finders``."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from fuzz.bench import engines as of_engines
from fuzz.bench import fuzzer as of_fuzzer
from fuzz.bench import kernel as of_kernel
from fuzz.bench import scoreboard, scoreboard_page
from fuzz.bench.case_set import CASES
from fuzz.bench.finders import FINDERS
from fuzz.bench.finders.search import CASES as GIVEN_UP
from fuzz.bench.geometries import parsed
from fuzz.bench.subjects import KINDS, named
from fuzz.cli import options
from fuzz.engines import NAMES

app = typer.Typer(help="Measure, baselines and ours side by side.", no_args_is_help=True)


def _on_standard_error(words: str) -> None:
    sys.stderr.write(words + "\n")


@app.command()
def engines(
    cases: Annotated[int, typer.Option(min=1, max=CASES, help="How many of the fixed set.")] = CASES,
    json: options.Json = False,  # noqa: FBT002
) -> None:
    """The simulator beside the interpreter, on a fixed set of cases; one launch of 12 million programs.

    Example: kvzero bench engines --json
    """
    _print(of_engines.run(_on_standard_error, cases), json=json)


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
    """GB/s of useful bytes and the host's time for a call, on six geometries, vLLM's class included; takes a GPU.

    Example: kvzero bench kernel --target my_kernel.py:zeroer --geometry 24x65536@1024:128
    """
    chosen = options.checked(target, None, None) if target else ()
    geometries = [parsed(text) for text in geometry or ()]
    report = of_kernel.run(_on_standard_error, targets=chosen, geometries=geometries, rounds=rounds)
    _print(report, json=json)


@app.command()
def finders(
    quick: Annotated[bool, typer.Option("--quick", help="Ours alone, one seed, two mutants an operator.")] = False,  # noqa: FBT002
    equivalents: Annotated[  # noqa: FBT002
        bool, typer.Option("--equivalents", help="Hold mutants ruled equivalent against their originals, 10,000 cases.")
    ] = False,
    subject: Annotated[
        list[str] | None, typer.Option(help=f"{', '.join(KINDS)}, or how the name of one begins; default: all.")
    ] = None,
    finder: Annotated[list[str] | None, typer.Option(help=f"Of {', '.join(FINDERS)}; default: all.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds, from 0 on.")] = 5,
    cases: Annotated[int, typer.Option(min=1, help="Cases after which a run is given up.")] = GIVEN_UP,
    workers: Annotated[int, typer.Option(min=1, help="Processes that search side by side.")] = 2,
    engine: options.Engine = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the table and the curves, as docs/scoreboard was written.")
    ] = None,
    json: options.Json = False,  # noqa: FBT002
) -> None:
    """Cases up to the first find: faults of the past and mutants, our search beside other finders.

    Example: kvzero bench finders --quick --json
    """
    options.one_of("engine", engine, NAMES)
    for name in finder or ():
        options.one_of("finder", name, tuple(FINDERS))
    report: dict[str, Any]
    if quick:
        report = scoreboard.quick(_on_standard_error, engine, workers)
    elif equivalents:
        report = scoreboard.equivalents(_on_standard_error, engine, workers)
    else:
        every_seed = tuple(range(seeds))
        report = scoreboard.full(
            _on_standard_error, named(subject), tuple(finder or FINDERS), every_seed,
            engine=engine, most=cases, workers=workers,
        )  # fmt: skip
    if out is not None:
        for path in scoreboard_page.write(report, out):
            _on_standard_error(f"written: {path}")
    _print(report, json=json)


def _print(report: dict[str, Any], *, json: bool) -> None:
    if json:
        sys.stdout.write(json_module.dumps(report, indent=2) + "\n")
        return
    for row in report["rows"]:
        sys.stdout.write(", ".join(f"{key} {value}" for key, value in row.items()) + "\n")
    for name, value in report.items():
        if name.startswith("speedup"):
            sys.stdout.write(f"{name} {value}\n")
        elif name in ("missed", "sometimes_missed", "not_run", "wrongly_ruled") and value:
            sys.stdout.write(f"{name} {', '.join(value)}\n")
