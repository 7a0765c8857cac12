"""Verbs on corpus folders: list, check, accept, merge, prune."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from fuzz import codec, distilling
from fuzz import corpus as corpora
from fuzz.built_in import built_in
from fuzz.checking import Checker
from fuzz.cli import options
from fuzz.errors import CorpusError, UsageError
from fuzz.guided.coverage import FOLDER

app = typer.Typer(help="Look at case files and keep finds for good.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_(corpus: options.Corpus = None) -> None:
    """Name every case, its folder, its reference and what it still shows.

    Example: kvzero corpus list --corpus corpus
    """
    folder = options.corpus_folder(corpus)
    if not folder.is_dir():
        raise CorpusError(f"corpus={folder}: there is no such folder; name one with --corpus DIR")
    for entry in corpora.entries(folder):
        ref = entry.case.origin.ref if entry.case.origin and entry.case.origin.ref else "-"
        finds = ", ".join(f"{key} {label}" for key, label in entry.case.finds.items()) or "passes everywhere"
        sys.stdout.write(f"{entry.path}  {ref}  {finds}\n")


@app.command("check")
def check(corpus: options.Corpus = None) -> None:
    """Read every case of a corpus and check names and rules; an empty or missing corpus is an error.

    Example: kvzero corpus check --corpus corpus
    """
    found = corpora.checked(options.corpus_folder(corpus))
    sys.stdout.write(f"{len(found)} cases in order\n")


@app.command("accept")
def accept(
    case: Annotated[Path, typer.Argument(help="A case file below crashing/.")],
    corpus: options.Corpus = None,
    title: Annotated[str | None, typer.Option(help="A title that says what the case is about.")] = None,
    ref: Annotated[str | None, typer.Option(help="A public reference, for instance vllm#50276.")] = None,
) -> None:
    """Move a find to regressions/, where pytest replays it for good.

    It is run on the built-in targets, and what they show is noted in it; any other target must pass it
    from now on.

    Example: kvzero corpus accept corpus/crashing/x-0123abcd.json --ref vllm#50276
    """
    folder = corpus or case.parent.parent
    if case.resolve().parent != (folder / corpora.CRASHING).resolve():
        raise UsageError(f"case={case}: only a file in {folder / corpora.CRASHING} can be accepted")
    one = codec.read(case)
    with closing(Checker(built_in(one))) as checker:
        verdicts = {name: checker.attempt(one, name) for name in built_in(one)}
        profile = checker.opened().device_profile
    shown = {f"{name}@{profile}": verdict.label() for name, verdict in verdicts.items() if verdict.outcome == "finding"}
    sys.stdout.write(f"{corpora.accept(folder, case, title, ref, shown)}\n")


@app.command("merge")
def merge(
    folders: Annotated[list[Path], typer.Argument(help="Campaigns, corpora, or folders of case files.")],
    corpus: options.Corpus = None,
) -> None:
    """Add to coverage/ few of their kept cases that together show what no case there shows.

    A search begins with what stands in coverage/ of its corpus, as far as its profiles draw it: 1,024 cases at most.

    Example: kvzero corpus merge campaigns/* --corpus corpus
    """
    folder = options.corpus_folder(corpus)
    added, found = distilling.merge(folders, folder)
    sys.stdout.write(f"{added} of {found} cases added to {folder / FOLDER}\n")


@app.command("prune")
def prune(corpus: options.Corpus = None) -> None:
    """Delete from coverage/ what shows no pair of features of its own; other folders are left alone.

    Example: kvzero corpus prune --corpus corpus
    """
    folder = options.corpus_folder(corpus)
    gone, found = distilling.prune(folder)
    sys.stdout.write(f"{gone} of {found} cases deleted from {folder / FOLDER}\n")
