"""Runs a plan from its start, or a campaign from where it was left, and puts everything away after it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from fuzz.campaign import Campaign, Kit
from fuzz.campaign_folder import CampaignFolder
from fuzz.control import Control
from fuzz.cross_check import CrossCheck
from fuzz.errors import EngineError, KvzeroError, UsageError
from fuzz.events import Ended, Report, Subscriber, Warned
from fuzz.fleet import Fleet
from fuzz.guided import coverage
from fuzz.journal import Journal
from fuzz.pinning import pinned
from fuzz.plan import Plan
from fuzz.recovery import recover
from fuzz.reports.stats_files import StatsFiles
from fuzz.supervisor import Crew
from fuzz.waiting import Abandoned

ROOM = 2**20
"""Bytes that a corpus must have free: flight slots and some finds."""

FINISHED = ("cases", "exhausted", "time", "find")
"""Reasons to stop after which nothing is left to go on with."""


def run(plan: Plan, tell: Subscriber) -> Report:
    """Run a plan that keeps no folder."""
    with _flights(plan.corpus, tell) as (slots, kept), closing(Journal()) as journal:
        report = _run(plan, slots, journal, tell, recovers=kept)
    if not kept and report.trouble is None:
        report.trouble = f"corpus={plan.corpus}: cannot be written"
    return report


def run_in(folder: CampaignFolder, tell: Subscriber, *, new: bool = False) -> Report:
    """Run a campaign in its folder, from the start or from where its journal ends.

    A new campaign that cannot even begin leaves no folder; one that is finished tells its report again.

    Raises:
        UsageError: if another process is at it, or the folder that it was begun in is gone.
    """
    with folder.held(), closing(Journal(folder.journal)) as journal:
        begun = Report(folder.written.plan.seed)
        journal.restore(begun)
        if begun.stop_reason in FINISHED:
            tell(Ended(begun))
            return begun
        try:
            os.chdir(folder.written.cwd)
        except OSError as error:
            raise UsageError(f"resume={folder.path}: it was begun in {folder.written.cwd}: {error.strerror}") from None
        for words in folder.changed():
            tell(Warned(words))
        try:
            plan, files = pinned(folder.written.plan, journal), StatsFiles(folder.path)
            report = _run(plan, folder.slots, journal, tell, recovers=True, files=files)
        except KvzeroError:
            if new and not journal.fact("engine"):
                shutil.rmtree(folder.path, ignore_errors=True)
            raise
        if report.stop_reason in FINISHED and (words := coverage.leave(folder.path, journal, plan.seed)):
            tell(Warned(words))
        return report


def _run(
    plan: Plan, slots: Path, journal: Journal, tell: Subscriber, *, recovers: bool, files: StatsFiles | None = None
) -> Report:
    used = float(journal.fact("seconds") or 0)
    control = Control(plan.seconds, plan.attempts, stop_on_find=plan.stop_on_find, used=used)
    with control.signals():
        fleet = Fleet(plan.opening(), slots, control)
        second = None
        try:
            if plan.cross_check:
                second = Crew(plan.second_opening(fleet.open()), slots, standbys=0)
            check = CrossCheck(second, plan.cross_check) if second else None
            campaign = Campaign(plan, Kit(control, fleet, journal, tell, check, files))
            with contextlib.suppress(Abandoned):  # by a signal, which ends the run in order
                if recovers:
                    recover(plan, slots, campaign, fleet, tell)
            report = campaign.run()
            if check:
                tell(Warned(f"cross-check: {check.compared} cases decided by both engines"))
        except Abandoned:
            raise EngineError("a signal ended the run before its first case") from None
        finally:
            fleet.close()
            if second:
                second.close()
    return report


@contextmanager
def _flights(corpus: Path, tell: Subscriber) -> Iterator[tuple[Path, bool]]:
    """The folder of flight slots: in the corpus, or a passing one if that cannot be written."""
    slots = corpus / ".flight"
    try:
        slots.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=slots) as probe:
            os.posix_fallocate(probe.fileno(), 0, ROOM)
    except OSError as error:
        tell(Warned(f"corpus={corpus}: {error.strerror}; finds that cannot be saved will be printed in full"))
        with tempfile.TemporaryDirectory(prefix="kvzero-") as passing:
            yield Path(passing), False
        return
    try:
        yield slots, True
    finally:
        with contextlib.suppress(OSError):
            slots.rmdir()  # only if no case was left in flight
