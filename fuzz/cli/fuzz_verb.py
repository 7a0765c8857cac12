"""``kvzero fuzz``: search for cases that a target fails."""

from __future__ import annotations

import dataclasses
import secrets
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from fuzz import campaign_folder, harnesses, locators
from fuzz.cli import options
from fuzz.errors import UsageError
from fuzz.events import Report
from fuzz.harnesses import running
from fuzz.plan import Plan
from fuzz.profiles import DEFAULT, ENUMERATED, NAMES, fitting
from fuzz.reports.json_report import as_json
from fuzz.reports.terminal import Terminal
from fuzz.runner import run, run_in

SECONDS = 60.0
"""How long a run lasts that would not end by itself and names neither time nor cases."""


def fuzz(
    context: typer.Context,
    target: options.Targets = None,
    corpus: options.Corpus = None,
    profile: Annotated[
        list[str] | None,
        typer.Option(help=f"One of {', '.join(NAMES)}; may be repeated; default {', '.join(DEFAULT)} by turns."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, max=2**62, help="Decides every case, with profiles and targets; drawn if not given."),
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Time for the whole run, shrinking included.")] = None,
    hours: Annotated[float | None, typer.Option(help="The same in hours.")] = None,
    cases: Annotated[
        int | None, typer.Option(help="Cases for each target; there is no time limit then unless one is given.")
    ] = None,
    stop_on_find: Annotated[bool, typer.Option("--stop-on-find", help="End at the first find.")] = False,  # noqa: FBT002
    no_known: Annotated[bool, typer.Option("--no-known", help="Count known finds as new ones.")] = False,  # noqa: FBT002
    cross_check: Annotated[
        int | None,
        typer.Option(min=1, help="Run each case whose number is a multiple of this on a second engine."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="How many search at once; default: as many as cores and GPUs bear.")
    ] = None,
    directory: Annotated[
        Path | None, typer.Option("--dir", help="Keep the campaign in this new folder, to go on if it is ended.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Go on with the campaign of this folder; takes no other option on what to run.")
    ] = None,
    harness: Annotated[
        str | None,
        typer.Option(help=f"Run an Atheris harness instead of a target: one of {', '.join(harnesses.NAMES)}."),
    ] = None,
    engine: options.Engine = None,
    device_profile: options.DeviceProfile = None,
    json: options.Json = False,  # noqa: FBT002
    quiet: options.Quiet = False,  # noqa: FBT002
) -> None:
    """Search for cases that a target fails; save, shrink and replay each find.

    Example: kvzero fuzz --target my_kernel.py:zeroer --seconds 120
    """
    if harness is not None:
        _alone(context, "--harness", "--seconds", "--hours", "--seed", "--corpus", "--json", "--quiet")
        lasts, folder = _seconds(seconds, hours, endless=True) or SECONDS, options.corpus_folder(corpus)
        raise typer.Exit(running.run(harness, lasts, folder, seed=seed, as_json=json, quiet=quiet))
    terminal = Terminal(quiet=quiet)
    if resume is not None:
        plan, report = _resumed(context, resume.absolute(), terminal)
        _end(plan, report, json=json)
    profiles = tuple(dict.fromkeys(profile or ()))
    for name in profiles:
        options.one_of("profile", name, NAMES)
    chosen = options.checked(target or [options.usual_target(profiles)], engine, device_profile)
    fitting(profiles, {name: takes for name in chosen if (takes := locators.takes(name))})
    limit = _seconds(seconds, hours, endless=cases is None and not set(profiles) & set(ENUMERATED))
    if cross_check and workers not in (None, 1):
        raise UsageError(f"workers={workers}: must be 1 with --cross-check, which follows one worker; leave one out")
    if cases is not None and cases < 1:
        raise UsageError(f"cases={cases}: must be 1 or more; zero cases prove nothing")
    folder = options.corpus_folder(corpus)
    plan = Plan(
        chosen,
        profiles,
        seed if seed is not None else secrets.randbits(31),
        folder,
        engine,
        device_profile,
        use_known=not no_known,
        cross_check=cross_check or 0,
        seconds=limit,
        cases=cases,
        stop_on_find=stop_on_find,
        workers=workers,
    )
    if directory is None:
        report = run(plan, terminal)
    else:
        plan = dataclasses.replace(plan, corpus=folder.absolute())
        report = run_in(campaign_folder.create(directory.absolute(), plan), terminal, new=True)
    _end(plan, report, json=json)


def _end(plan: Plan, report: Report, *, json: bool) -> NoReturn:
    if json:
        sys.stdout.write(as_json(report) + "\n")
    raise typer.Exit(exit_code(report, hostile=plan.hostile))


def exit_code(report: Report, *, hostile: bool) -> int:
    """0 clean, 1 finding, 3 if nothing was proved or something of ours went wrong.

    Accepted hostile input is a finding only where it was asked for. A journal that broke is 3 whatever was
    found: the numbers cannot be relied on.
    """
    if report.lost:
        return 3
    if any(not find.known and (hostile or find.bucket.kind != "accepted") for find in report.distinct):
        return 1
    proved = report.counts["passed"] + report.counts["finding"]
    return 3 if report.trouble or report.counts["infra"] or not proved else 0


def _resumed(context: typer.Context, folder: Path, terminal: Terminal) -> tuple[Plan, Report]:
    """Go on with a campaign; only how to report may be said anew."""
    given = [one.opts[0] for one in context.command.params if _typed(context, one.name or "")]
    others = [option for option in given if option not in ("--resume", "--json", "--quiet")]
    if others:
        raise UsageError(f"resume={folder}: goes on as it was begun, but {others[0]} is given; leave it out")
    campaign = campaign_folder.find(folder, "resume")
    return campaign.written.plan, run_in(campaign, terminal)


def _alone(context: typer.Context, option: str, *beside: str) -> None:
    """Refuse options that mean nothing beside one that replaces the search."""
    given = [one.opts[0] for one in context.command.params if _typed(context, one.name or "")]
    others = [other for other in given if other not in (option, *beside)]
    if others:
        raise UsageError(f"{option[2:]}: goes with {', '.join(beside)} alone, but {others[0]} is given; leave it out")


def _typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _seconds(seconds: float | None, hours: float | None, *, endless: bool) -> float | None:
    if seconds is not None and hours is not None:
        raise UsageError(f"seconds={seconds}, hours={hours}: give one of them")
    if hours is not None:
        seconds = hours * 3600
    if seconds is None:
        return SECONDS if endless else None
    return options.duration(seconds)
