"""``kvzero gate``: yes or no on a kernel change."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Annotated

import typer

from fuzz import corpus as corpora
from fuzz import locators, revisions, sanitizer
from fuzz.cli import options
from fuzz.errors import UsageError
from fuzz.gate.events import Event, Subscriber
from fuzz.gate.reports import markdown as markdown_report
from fuzz.gate.reports import sarif as sarif_report
from fuzz.gate.reports.at_the_end import AtTheEnd
from fuzz.gate.reports.json_report import as_json
from fuzz.gate.reports.junit import JUnit
from fuzz.gate.reports.ndjson import Ndjson
from fuzz.gate.reports.terminal import Terminal
from fuzz.gate.request import MODES, Request
from fuzz.gate.running import hold


def gate(
    target: Annotated[
        str, typer.Option(help="The new kernel: built-in name, path/file.py:name, package.module:name, git:REV:...")
    ],
    base: Annotated[
        str | None, typer.Option(help="What it replaces, such as git:main:path/file.py:name; what it shows is old.")
    ] = None,
    corpus: Annotated[
        Path | None, typer.Option(help="Cases that must pass, and where new finds go; default: what came with kvzero.")
    ] = None,
    mode: Annotated[
        str, typer.Option(help="change: a minute, for a review; batch: ten, for a nightly job.")
    ] = "change",
    seconds: Annotated[float | None, typer.Option(help="Ceiling for the whole gate, instead of the mode's.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**62, help="Search a fresh seed as well; it reports and never blocks.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Hostile input that is taken blocks, too.")] = False,  # noqa: FBT002
    corpus_only: Annotated[bool, typer.Option("--corpus-only", help="Run the corpus and nothing else.")] = False,  # noqa: FBT002
    sanitize: Annotated[bool, typer.Option("--sanitize", help="Run the corpus below compute-sanitizer, too.")] = False,  # noqa: FBT002
    waivers: Annotated[Path | None, typer.Option(help="Finds that may stay until a day, in TOML or JSON.")] = None,
    events: Annotated[Path | None, typer.Option(help="Write each step to this file at once, as NDJSON.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write a JUnit report to this file.")] = None,
    sarif: Annotated[
        Path | None, typer.Option(help="Write a SARIF 2.1.0 report to this file, for code scanning.")
    ] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write a summary in Markdown to this file.")] = None,
    cost_limit: Annotated[
        float | None,
        typer.Option(help="Refuse what surely takes so many per cent more of a GPU's time than the base."),
    ] = None,
    receipt: Annotated[
        Path | None, typer.Option(help="Write what a gate on a GPU found out to this file, as JSON.")
    ] = None,
    check_receipt: Annotated[
        Path | None, typer.Option(help="Refuse unless this receipt says yes to the very same target and base.")
    ] = None,
    engine: options.Engine = None,
    device_profile: options.DeviceProfile = None,
    json: options.Json = False,  # noqa: FBT002
    quiet: options.Quiet = False,  # noqa: FBT002
) -> None:
    """Say yes or no to a kernel change: exit 0 yes, 1 no, 2 usage or corpus, 3 cannot say.

    Example: kvzero gate --target my_kernel.py:zeroer --base git:main:my_kernel.py:zeroer
    """
    options.one_of("mode", mode, MODES)
    options.checked([target], engine, device_profile)
    if base and not revisions.is_new(base):
        locators.check(base)  # a file that is new has no base, which the gate says by itself
    if seconds is not None:
        options.duration(seconds)
    if cost_limit is not None and not 0 < cost_limit < inf:
        raise UsageError(f"cost_limit={cost_limit:g}: must be more than 0 per cent")
    if cost_limit is not None and base is None:
        raise UsageError(f"cost_limit={cost_limit:g}: is against a base, and there is none; name one with --base")
    if cost_limit is not None and corpus_only:
        raise UsageError(f"cost_limit={cost_limit:g}: nothing is timed with --corpus-only; leave one of them out")
    if sanitize:
        sanitizer.tool()
    folder = options.corpus_folder(corpus)
    request = Request(
        target,
        base,
        folder if corpus else corpora.shipped(),
        folder,
        mode,
        seconds,
        seed,
        strict=strict,
        corpus_only=corpus_only,
        sanitize=sanitize,
        waivers=waivers,
        cost_limit=cost_limit,
        receipt=receipt,
        check_receipt=check_receipt,
        engine=engine,
        device_profile=device_profile,
    )
    with contextlib.ExitStack() as stack:
        listeners: list[Subscriber] = [Terminal(quiet=quiet)]
        written = {"events": events, "junit": junit, "sarif": sarif, "markdown": markdown, "receipt": receipt}
        for name, path in written.items():
            _writable(name, path)
        listeners += [JUnit(junit)] if junit else []
        listeners += [AtTheEnd(sarif, sarif_report.text)] if sarif else []
        listeners += [AtTheEnd(markdown, markdown_report.page)] if markdown else []
        listeners += [stack.enter_context(Ndjson(events))] if events else []
        report = hold(request, lambda event: _tell(listeners, event))
    if json:
        sys.stdout.write(as_json(report) + "\n")
    raise typer.Exit(report.exit_code)


def _tell(listeners: Sequence[Subscriber], event: Event) -> None:
    for listener in listeners:
        listener(event)


def _writable(name: str, path: Path | None) -> None:
    """Refuse a file that cannot be written before a minute is spent on what goes into it; leave it as it was."""
    if path is None:
        return
    there = path.exists()
    try:
        path.open("a").close()
        if not there:
            path.unlink()
    except OSError as error:
        raise UsageError(f"{name}={path}: {error.strerror}; name a file that can be written") from None
