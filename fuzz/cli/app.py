"""The ``kvzero`` command: its verbs, and the one place where an error becomes an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import Annotated

import typer

from fuzz import version
from fuzz.cli import (
    bench_verbs,
    campaign_verbs,
    case_verbs,
    corpus_verbs,
    fuzz_verb,
    gate_verb,
    machine_verbs,
    new_target_verb,
)
from fuzz.errors import KvzeroError


def _print_version(asked: bool) -> None:  # noqa: FBT001 - typer's form
    if asked:
        sys.stdout.write(f"kvzero {version()}\n")
        raise typer.Exit


app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def root(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Find bugs in Triton kernels that clear KV-cache pages, before they merge."""


app.command("fuzz")(fuzz_verb.fuzz)
app.command("gate")(gate_verb.gate)
app.command("status")(campaign_verbs.status)
app.command("merge")(campaign_verbs.merge)
app.command("replay")(case_verbs.replay)
app.command("shrink")(case_verbs.shrink)
app.command("explain")(case_verbs.explain)
app.command("export")(case_verbs.export)
app.command("targets")(machine_verbs.targets)
app.command("new-target")(new_target_verb.new_target)
app.command("doctor")(machine_verbs.doctor)
app.add_typer(corpus_verbs.app, name="corpus")
app.add_typer(bench_verbs.app, name="bench")


def main() -> None:
    """Run the command line; no error but a finding ends it with 1."""
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    # Hypothesis, which shrinks, would leave a folder of its own wherever one stands.
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(Path(cache).expanduser() / "kvzero" / "hypothesis"))
    try:
        app()
    except KvzeroError as error:
        sys.stderr.write(f"kvzero: {error}\n")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.stderr.write("kvzero: interrupted\n")
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(3)
    except OSError as error:
        sys.stderr.write(f"kvzero: {error.filename or 'system'}: {error.strerror}\n")
        sys.exit(3)
    except Exception:
        sys.stderr.write(f"kvzero: a fault of kvzero's own, please report it\n{traceback.format_exc()}")
        sys.exit(3)
