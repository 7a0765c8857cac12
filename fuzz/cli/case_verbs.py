"""Verbs on single cases: replay, explain, shrink, export."""

from __future__ import annotations

import json as json_text
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from fuzz import corpus as corpora
from fuzz import exporting, messages, sanitizer
from fuzz.case import Case
from fuzz.cli import options
from fuzz.codec import encode, read
from fuzz.control import SHRINK_SECONDS, Control
from fuzz.errors import UsageError
from fuzz.events import Report
from fuzz.features import features, in_words
from fuzz.findbook import FindBook
from fuzz.reports.page_map import page_map
from fuzz.reports.terminal import Terminal
from fuzz.supervisor import Crew, crew_of
from fuzz.verdict import Verdict

SANITIZE_SECONDS = 300.0
"""Longest that one case file may take below compute-sanitizer; loading torch below it is most of that."""


class Ready(NamedTuple):
    """A case file with a crew that has one of its targets loaded."""

    path: Path
    case: Case
    target: str
    crew: Crew
    opened: messages.Opened


def replay(
    case: options.Cases,
    target: options.Targets = None,
    engine: options.Engine = None,
    device_profile: options.DeviceProfile = None,
    sanitize: Annotated[  # noqa: FBT002
        bool, typer.Option("--sanitize", help="Below compute-sanitizer, each storage an allocation of its own.")
    ] = False,
    json: options.Json = False,  # noqa: FBT002
    quiet: options.Quiet = False,  # noqa: FBT002
) -> None:
    """Run case files again, each on the targets that its finds name or on --target.

    Exits with 1 if any of them shows a finding.

    Example: kvzero replay corpus/crashing/my-kernel-py-zeroer-on-h200-stale-tail-0123abcd.json
    """
    rows = []
    for path, name, profile, verdict in (_sanitized if sanitize else _replayed)(case, target, engine, device_profile):
        row = {"case": str(path), "target": name, "device_profile": profile, "verdict": verdict.label()}
        rows.append(row | {"text": verdict.text})
        words = f": {verdict.text}" if verdict.text else ""
        if not quiet or verdict.outcome in ("finding", "infra"):
            sys.stderr.write(f"{path}: {name}@{profile}: {verdict.label()}{words}\n")
    if json:
        sys.stdout.write(json_text.dumps(rows, indent=2) + "\n")
    raise typer.Exit(_exit_code([row["verdict"] for row in rows]))


def explain(
    case: options.Cases,
    target: options.Targets = None,
    engine: options.Engine = None,
    device_profile: options.DeviceProfile = None,
) -> None:
    """Draw what had to be zero, what is, and where the wrong bytes lie.

    Exits like replay.

    Example: kvzero explain corpus/history/one-block-and-one-id-*.json --target my_kernel.py:zeroer
    """
    labels = []
    for one in _each(case, target, engine, device_profile):
        verdict = one.crew.attempt(one.case, one.target)
        labels.append(verdict.label())
        sys.stdout.write(page_map(one.case, one.target, verdict))
        sys.stdout.write(f"features: {in_words(features(one.case))}\n")
    raise typer.Exit(_exit_code(labels))


def shrink(
    case: options.Cases,
    target: options.Targets = None,
    corpus: options.Corpus = None,
    engine: options.Engine = None,
    device_profile: options.DeviceProfile = None,
) -> None:
    """Make the finds in case files smaller; each result goes to the corpus's crashing folder.

    Exits with 1, for a finding it is, or with 2 if a case passes.

    Example: kvzero shrink big.json --target my_kernel.py:zeroer
    """
    folder = options.corpus_folder(corpus)
    trouble = False
    for one in _each(case, target, engine, device_profile):
        verdict = one.crew.attempt(one.case, one.target)
        if verdict.outcome != "finding":
            raise UsageError(f"{one.path}: {verdict.label()} on {one.target}; only a finding can be shrunk")
        report = _settled(one, verdict, folder)
        for find in report.distinct:
            sys.stdout.write(f"{find.path or find.bucket}\n{encode(find.case)}")
        trouble |= report.trouble is not None
    raise typer.Exit(3 if trouble else 1)


def export(
    case: Annotated[Path, typer.Argument(help="A case file.")],
    target: options.Targets = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write; default standard output.")
    ] = None,
) -> None:
    """Write one script of torch and triton that shows the fault by itself, for a bug report.

    Example: kvzero export corpus/crashing/my-kernel-py-zeroer-on-h200-stale-tail-0123abcd.json -o report.py
    """
    one = read(case)
    names = list(dict.fromkeys(name for name, _ in _wanted(one, target, None)))
    if len(names) != 1:
        raise UsageError(f"{case}: names {len(names)} targets, {', '.join(names)}; choose one with --target")
    options.checked(names, None, None)
    text = exporting.script(one, names[0])
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text)
    except OSError as error:
        raise UsageError(f"output={output}: {error.strerror}") from None
    sys.stderr.write(f"wrote {output}; run it with: python {output}\n")


def _replayed(
    paths: list[Path], target: list[str] | None, engine: str | None, device_profile: str | None
) -> Iterator[tuple[Path, str, str, Verdict]]:
    """Each case on each of its targets: file, target, device profile, verdict."""
    for one in _each(paths, target, engine, device_profile):
        yield one.path, one.target, one.opened.device_profile, one.crew.attempt(one.case, one.target)


def _sanitized(
    paths: list[Path], target: list[str] | None, engine: str | None, device_profile: str | None
) -> Iterator[tuple[Path, str, str, Verdict]]:
    """The same below compute-sanitizer, on the GPU.

    Raises:
        UsageError: if another engine is asked for.
        EngineError: if there is no such tool, no GPU, or an error that the tool saw and no case failed of.
    """
    if engine not in (None, "cuda"):
        raise UsageError(f"engine={engine!r}: only cuda has memory that --sanitize can check; leave one of them out")
    sanitizer.tool()
    with tempfile.TemporaryDirectory(prefix="kvzero-") as folder:
        for path in paths:
            wanted = [name for name, _ in _wanted(read(path), target, device_profile)]
            for name in options.checked(wanted, "cuda", device_profile):
                left = partial(_left, Control(SANITIZE_SECONDS, None, stop_on_find=False))
                # To its end: only there is the tool's log read for what no case failed of.
                found = list(sanitizer.sanitized(name, [path], Path(folder) / "memcheck", left))
                verdict = found[0].verdict if found else Verdict("infra", text="there was no time for it")
                yield path, name, "h200", verdict


def _left(control: Control) -> float:
    return control.left or 0.0


def _settled(one: Ready, verdict: Verdict, folder: Path) -> Report:
    """Book a find in the corpus, shrink and replay it, as a run would."""
    report = Report(0)
    control = Control(SHRINK_SECONDS, None, stop_on_find=False)
    profile = (one.case.origin.profile if one.case.origin else None) or "small"
    with control.signals():
        book = FindBook(
            report,
            folder,
            set(),
            one.opened.device_profile,
            one.opened.units,
            one.crew,
            control,
            Terminal(quiet=False),
        )
        book.met(one.case, one.target, profile, verdict, count=0)
        book.settle()
    return report


def _each(
    paths: list[Path], target: list[str] | None, engine: str | None, device_profile: str | None
) -> Iterator[Ready]:
    """Each case with a crew for each of its targets, under the device limits that its finds name."""
    for path, case in [(path, read(path)) for path in paths]:
        wanted = _wanted(case, target, device_profile)
        for profile in dict.fromkeys(profile for _, profile in wanted):
            names = options.checked([name for name, one in wanted if one == profile], engine, profile)
            with crew_of(names, engine, profile) as crew:
                opened = crew.open()
                for name in names:
                    yield Ready(path, case, name, crew, opened)


def _wanted(case: Case, target: list[str] | None, device_profile: str | None) -> list[tuple[str, str | None]]:
    """Targets and device profiles: those asked for, else those that the finds name, else the default."""
    if target:
        return [(name, device_profile) for name in target]
    named = [
        (bucket.target, device_profile or bucket.device_profile)
        for bucket in corpora.expected(case)
        if device_profile in (None, bucket.device_profile)
    ]
    return list(dict.fromkeys(named)) or [(options.DEFAULT_TARGET, device_profile)]


def _exit_code(labels: list[str]) -> int:
    """1 if any is a finding; 3 if one was trouble, or none was proved; else 0."""
    found = [label for label in labels if label not in ("passed", "declined", "unproved", "infra")]
    if found:
        return 1
    return 0 if "passed" in labels and "infra" not in labels else 3
