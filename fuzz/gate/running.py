"""Holds a gate: workers for target and base, the checks in order, the verdict."""

from __future__ import annotations

import dataclasses
import datetime as dt
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from fuzz import corpus
from fuzz.devices import usual_workers
from fuzz.errors import CorpusError, EngineError, KvzeroError, UsageError
from fuzz.fleet import Fleet
from fuzz.gate import receipt, waivers
from fuzz.gate.asked import Asked, of_request
from fuzz.gate.base import Base
from fuzz.gate.ceiling import Ceiling
from fuzz.gate.checks.corpus_files import CorpusFiles
from fuzz.gate.checks.costs import CostCheck
from fuzz.gate.checks.enumeration import Enumeration
from fuzz.gate.checks.fixed import Fixed
from fuzz.gate.checks.limits import LimitsCheck
from fuzz.gate.checks.portability import Portability
from fuzz.gate.checks.receipts import ReceiptCheck
from fuzz.gate.checks.sanitizing import SanitizeCheck, Sanitized
from fuzz.gate.checks.seeded_search import FreshSearch, OverlappingCalls, SeededSearch
from fuzz.gate.events import Began, CheckEnded, Over, Subscriber, Warned
from fuzz.gate.ground import Checking, Ground
from fuzz.gate.lanes import Lanes
from fuzz.gate.request import Request, seed_of
from fuzz.gate.results import Check, GateReport
from fuzz.gate.stopwatch import DRIVER, Stopwatch
from fuzz.gate.unproved import unproved
from fuzz.restarts import Restarts
from fuzz.sanitizer import sanitized
from fuzz.supervisor import Crew
from fuzz.waiting import Abandoned


def hold(request: Request, tell: Subscriber) -> GateReport:
    """Hold a gate, and tell of each step.

    Raises:
        UsageError: if corpus, waivers or target are no good; nothing was run then.
        EngineError: if the engine cannot run here.
    """
    files = _files(request.corpus)
    waived = waivers.read(request.waivers, dt.datetime.now().astimezone().date()) if request.waivers else {}
    shown = receipt.read(request.check_receipt) if request.check_receipt else None
    control = Ceiling(request.ceiling)
    with tempfile.TemporaryDirectory(prefix="kvzero-") as folder, control.signals():
        fleet = Fleet(request.opening(request.target), Path(folder), control)
        crew = _crew(request, Path(folder), control)
        stopwatch = _stopwatch(request)
        try:
            opened = fleet.open()
            if stopwatch and opened.engine == "cuda":
                stopwatch.start()
            if request.sanitize and opened.engine != "cuda":
                raise EngineError(f"sanitize: needs a GPU, and engine {opened.engine} would run; leave --sanitize out")
            if request.receipt and opened.engine != "cuda":
                raise UsageError(
                    f"receipt={request.receipt}: a receipt is a GPU's, and engine {opened.engine} would run; "
                    "hold the gate on a machine with a GPU, or leave --receipt out"
                )
            base = Base(request.base, crew, lambda: control.left)
            lanes = Lanes(fleet, min(usual_workers(opened), request.lanes_on(opened.engine)), control)
            contents = {request.target: opened.contents[request.target]}
            if request.base and not isinstance(base.opened, str):
                contents |= base.opened.contents
                if set(base.opened.takes.values()) != set(opened.takes.values()):
                    raise UsageError(f"base={request.base!r}: takes another thing than the target; name a like one")
            seed = seed_of(contents[request.target], contents.get(request.base or "", ""))
            sizes = request.sizes_on(opened.engine)
            ground = Ground(request, opened, lanes, base, control, tell, seed, sizes, files, waived)
            made_of = [contents[name] for name in (request.target, request.base) if name in contents]
            asked = of_request(request, made_of, files)
            below = partial(sanitized, log=Path(folder) / "memcheck", left=lambda: control.left or 0.0)
            checks = checks_of(request, stopwatch, below)
            if request.check_receipt and shown:
                checks.insert(0, ReceiptCheck(request.check_receipt, shown, asked.beside(shown.asked, request)))
            return _recorded(request.receipt, checked(ground, checks, contents), asked)
        except Abandoned:
            raise EngineError(f"a signal, or its {request.ceiling:g} s, ended the gate before its first case") from None
        finally:
            fleet.close()
            if crew:
                crew.close()
            if stopwatch:
                stopwatch.close()


def checked(ground: Ground, checks: Sequence[Checking], contents: dict[str, str]) -> GateReport:
    """Hold some checks in order; the report."""
    request, opened, tell = ground.request, ground.opened, ground.tell
    report = GateReport(
        request.target,
        request.base,
        request.mode,
        ground.seed,
        opened.engine,
        opened.device,
        opened.device_profile,
        contents,
        base_trouble=ground.base.trouble,
        files=opened.files.get(request.target, ()),
    )
    tell(Began(report))
    for check in checks:
        begun = time.monotonic()
        try:
            ended = check(ground)
        except KvzeroError as error:
            ended = Check(check.name, "trouble", str(error))
        except Abandoned:
            ended = Check(check.name, "cut short", "cut short before its first case")
        ended = dataclasses.replace(ended, seconds=time.monotonic() - begun)
        report.checks.append(ended)
        tell(CheckEnded(ended))
        if ground.control.signalled:
            report.trouble = "a signal ended it"
            break
    for label in sorted(set(ground.waivers) - {find.shown.finding.bucket.label for find in report.finds}):
        tell(Warned(f"waivers={request.waivers}: {label} was not met; it may be out of date"))
    report.unproved = unproved(opened.engine, report)
    report.seconds = ground.control.elapsed
    tell(Over(report))
    return report


def checks_of(
    request: Request, stopwatch: Stopwatch | None = None, sanitize: Sanitized | None = None
) -> list[Checking]:
    """The checks of a gate, in order: what only informs takes shares of the time that the others leave."""
    corpus_checks: list[Checking] = [CorpusFiles()]
    if request.sanitize and sanitize:
        corpus_checks.append(SanitizeCheck(sanitize))
    if request.corpus_only:
        return [LimitsCheck(), *corpus_checks, Fixed()]
    cost = CostCheck(request.cost_limit, stopwatch.pairs if stopwatch else None)
    searches: list[Checking] = [Enumeration(), SeededSearch(), OverlappingCalls()]
    checks: list[Checking] = [*corpus_checks, *searches, Portability(), Fixed()]
    # A limit must be held against before time is up; what only informs takes the time that is left.
    checks = [*checks, cost] if request.cost_limit is None else [cost, *checks]
    checks.insert(0, LimitsCheck())
    if request.seed is not None:
        checks.append(FreshSearch(request.seed))
    return checks


def _recorded(path: Path | None, report: GateReport, asked: Asked) -> GateReport:
    """The report itself, once its receipt is written."""
    if path:
        receipt.write(path, receipt.of_report(report, asked))
    return report


def _files(root: Path) -> list[corpus.Entry]:
    """History's and accepted cases of a corpus; open finds are none of a gate's business."""
    files = [entry for entry in corpus.checked(root) if entry.folder in corpus.KEPT]
    if not files:
        raise CorpusError(f"corpus={root}: no case in {', '.join(corpus.KEPT)}; a gate has nothing to replay")
    return files


def _crew(request: Request, folder: Path, control: Ceiling) -> Crew | None:
    """The base's worker, which loads beside the target's."""
    if request.base is None:
        return None
    return Crew(
        request.opening(request.base), folder, standbys=0, restarts=Restarts(given_up=lambda: control.interrupted)
    )


def _stopwatch(request: Request) -> Stopwatch | None:
    """What times target against base.

    It loads beside the workers if it is asked first and there may be a GPU, else once they are loaded: three
    processes that import torch at once take half as long again as two.
    """
    if request.base is None or request.corpus_only:
        return None
    stopwatch = Stopwatch(request.target, request.base)
    if request.cost_limit is not None and request.engine in (None, "cuda") and DRIVER.exists():
        stopwatch.start()
    return stopwatch
