"""Verbs on single cases: replay, shrink, explain, export."""

from __future__ import annotations

import json as json_text
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from fuzz import corpus as corpora
from fuzz import exporting, messages
from fuzz import shrink as shrinking
from fuzz.case import Case
from fuzz.cli import options
from fuzz.codec import encode, read
from fuzz.errors import UsageError
from fuzz.reports.page_map import page_map
from fuzz.supervisor import Crew
from fuzz.verdict import Bucket, Verdict

SHRINK_SECONDS = 300.0


def replay(
    case: options.Cases,
    target: options.Targets = None,
    engine: options.Engine = None,
    device_profile: options.DeviceProfile = None,
    json: options.Json = False,  # noqa: FBT002
) -> None:
    """Run case files again, each on the targets that its finds name or on --target.

    Exits with 1 if any of them shows a finding.

    Example: kvzero replay corpus/crashing/page-table-clobbered-padding-0123abcd.json
    """
    rows = []
    for path in case:
        for name, verdict in _verdicts(path, target, engine, device_profile):
            rows.append({"case": str(path), "target": name, "verdict": verdict.label(), "text": verdict.text})
            sys.stderr.write(f"{path}: {name}: {verdict.label()}{': ' + verdict.text if verdict.text else ''}\n")
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

    Example: kvzero explain corpus/history/a-page-cleared-as-wide-as-its-block-stride-d551395f.json
    """
    labels = []
    for path in case:
        for name, verdict in _verdicts(path, target, engine, device_profile):
            labels.append(verdict.label())
            sys.stdout.write(page_map(read(path), name, verdict))
    raise typer.Exit(_exit_code(labels))


def shrink(
    case: options.Cases,
    target: options.Targets = None,
    corpus: options.Corpus = None,
    engine: options.Engine = None,
    device_profile: options.DeviceProfile = None,
) -> None:
    """Make the finds in case files smaller; each result goes to the corpus's crashing folder.

    Example: kvzero shrink big.json --target my_kernel.py:zeroer
    """
    folder = options.corpus_folder(corpus)
    for path in case:
        for name, (crew, opened, one) in _opened(path, target, engine, device_profile):
            verdict = crew.attempt(one, name)
            if verdict.outcome != "finding":
                raise UsageError(f"{path}: {verdict.label()} on {name}; only a finding can be shrunk")
            shrunk = _shrunk(one, verdict.bucket(name, opened.device_profile), crew, opened.units[name], folder)
            sys.stdout.write(shrunk)


def _shrunk(case: Case, bucket: Bucket, crew: Crew, unit: int, folder: Path) -> str:
    """Shrink a case, keep the result and other finds met on the way; what became of it in words."""

    def attempt(case: Case, *, rehearse: bool = False) -> Verdict:
        return crew.attempt(case, bucket.target, rehearse=rehearse)

    def other(case: Case, verdict: Verdict) -> None:
        corpora.keep(folder, case, verdict.bucket(*bucket[:2]))

    shrunk = shrinking.shrink(
        case,
        bucket,
        attempt,
        profile=(case.origin.profile if case.origin else None) or "small",
        unit=unit,
        seconds=SHRINK_SECONDS,
        on_other=other,
    )
    kept = corpora.keep(folder, shrunk.case, bucket)
    return f"{bucket}: {shrunk.runs} runs, {kept}\n{encode(shrunk.case)}"


def export(
    case: Annotated[Path, typer.Argument(help="A case file.")],
    target: options.Targets = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write; default standard output.")
    ] = None,
) -> None:
    """Write one script of torch and triton that shows the fault by itself, for a bug report.

    Example: kvzero export corpus/crashing/page-table-clobbered-padding-0123abcd.json -o report.py
    """
    one = read(case)
    names = _targets_of(one, target)
    if len(names) != 1:
        raise UsageError(f"{case}: names {len(names)} targets, {', '.join(names)}; choose one with --target")
    options.checked(list(names), None, None)
    text = exporting.script(one, names[0])
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text)
        sys.stderr.write(f"wrote {output}; run it with: python {output}\n")


def _verdicts(
    path: Path, target: list[str] | None, engine: str | None, device_profile: str | None
) -> Iterator[tuple[str, Verdict]]:
    for name, (crew, _, one) in _opened(path, target, engine, device_profile):
        yield name, crew.attempt(one, name)


def _opened(
    path: Path, target: list[str] | None, engine: str | None, device_profile: str | None
) -> Iterator[tuple[str, tuple[Crew, messages.Opened, Case]]]:
    """The case of a file with a crew for it, once for each of its targets."""
    one = read(path)
    names = options.checked(_targets_of(one, target), engine, device_profile)
    with _crew(names, engine, device_profile) as crew:
        opened = crew.open()
        for name in names:
            yield name, (crew, opened, one)


@contextmanager
def _crew(names: tuple[str, ...], engine: str | None, device_profile: str | None) -> Iterator[Crew]:
    with tempfile.TemporaryDirectory(prefix="kvzero-") as folder:
        crew = Crew(messages.Open(names, engine, device_profile, ""), Path(folder), standbys=0)
        try:
            yield crew
        finally:
            crew.close()


def _targets_of(case: Case, target: list[str] | None) -> list[str]:
    named = [bucket.target for bucket in corpora.expected(case)]
    return target or list(dict.fromkeys(named)) or [options.DEFAULT_TARGET]


def _exit_code(labels: list[str]) -> int:
    settled = [label for label in labels if label not in ("declined", "unproved", "infra")]
    if any(label != "passed" for label in settled):
        return 1
    return 0 if settled else 3
