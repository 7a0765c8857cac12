"""``kvzero fuzz``: search for cases that a target fails."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from fuzz import targets as locators
from fuzz.campaign import Campaign, Kit
from fuzz.cli import options
from fuzz.control import Control
from fuzz.cross_check import CrossCheck
from fuzz.errors import EngineError, UsageError
from fuzz.events import Report, Warned
from fuzz.fleet import Fleet
from fuzz.journal import Journal
from fuzz.plan import Plan
from fuzz.profiles import BY_NAME, DEFAULT, fitting
from fuzz.recovery import recover
from fuzz.reports.json_report import as_json
from fuzz.reports.terminal import Terminal
from fuzz.supervisor import Crew
from fuzz.worker_process import Abandoned

ROOM = 2**20
"""Bytes that a corpus must have free: flight slots and some finds."""

SECONDS = 60.0
"""How long a run lasts that names neither time nor cases."""


def fuzz(
    target: options.Targets = None,
    corpus: options.Corpus = None,
    profile: Annotated[
        list[str] | None,
        typer.Option(help=f"One of {', '.join(BY_NAME)}; may be repeated; default {', '.join(DEFAULT)} by turns."),
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
    engine: options.Engine = None,
    device_profile: options.DeviceProfile = None,
    json: options.Json = False,  # noqa: FBT002
    quiet: options.Quiet = False,  # noqa: FBT002
) -> None:
    """Search for cases that a target fails; save, shrink and replay each find.

    Example: kvzero fuzz --target my_kernel.py:zeroer --seconds 120
    """
    profiles = tuple(dict.fromkeys(profile or ()))
    for name in profiles:
        options.one_of("profile", name, tuple(BY_NAME))
    chosen = options.checked(target or [options.usual_target(profiles)], engine, device_profile)
    fitting(profiles, {name: takes for name in chosen if (takes := locators.takes(name))})
    limit = _seconds(seconds, hours, cases)
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
    terminal = Terminal(quiet=quiet)
    report = _run(plan, terminal)
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


def _run(plan: Plan, terminal: Terminal) -> Report:
    control = Control(plan.seconds, plan.attempts, stop_on_find=plan.stop_on_find)
    with _flights(plan.corpus, terminal) as (slots, kept), control.signals():
        fleet = Fleet(plan.opening(), slots, control)
        second = None
        try:
            if plan.cross_check:
                second = Crew(plan.second_opening(fleet.open()), slots, standbys=0)
            check = CrossCheck(second, plan.cross_check) if second else None
            campaign = Campaign(plan, Kit(control, fleet, Journal(), terminal, check))
            if kept:
                recover(plan, slots, campaign, fleet, terminal)
            report = campaign.run()
            if check:
                terminal(Warned(f"cross-check: {check.compared} cases decided by both engines"))
        except Abandoned:
            raise EngineError("a signal ended the run before its first case") from None
        finally:
            fleet.close()
            if second:
                second.close()
    if not kept and report.trouble is None:
        report.trouble = f"corpus={plan.corpus}: cannot be written"
    return report


@contextmanager
def _flights(corpus: Path, terminal: Terminal) -> Iterator[tuple[Path, bool]]:
    """The folder of flight slots: in the corpus, or a passing one if that cannot be written."""
    slots = corpus / ".flight"
    try:
        slots.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=slots) as probe:
            os.posix_fallocate(probe.fileno(), 0, ROOM)
    except OSError as error:
        terminal(Warned(f"corpus={corpus}: {error.strerror}; finds that cannot be saved will be printed in full"))
        with tempfile.TemporaryDirectory(prefix="kvzero-") as passing:
            yield Path(passing), False
        return
    try:
        yield slots, True
    finally:
        with contextlib.suppress(OSError):
            slots.rmdir()  # only if no case was left in flight


def _seconds(seconds: float | None, hours: float | None, cases: int | None) -> float | None:
    if seconds is not None and hours is not None:
        raise UsageError(f"seconds={seconds}, hours={hours}: give one of them")
    if hours is not None:
        seconds = hours * 3600
    if seconds is None:
        return None if cases is not None else SECONDS
    if not seconds > 0:
        raise UsageError(f"seconds={seconds:g}: must be more than 0")
    return seconds
