"""Options that several verbs share, and how they are checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fuzz import corpus as corpora
from fuzz import locators
from fuzz.engines import NAMES
from fuzz.errors import EngineError, UsageError
from fuzz.profiles import OF_LAYOUTS
from oracles.launches import PROFILES

Targets = Annotated[
    list[str] | None,
    typer.Option(
        "--target",
        help="Built-in name, path/file.py:name, package.module:name or git:REV:path/file.py:name; repeatable.",
    ),
]
Corpus = Annotated[Path | None, typer.Option("--corpus", help="Where finds go; known finds come from it too.")]
Engine = Annotated[str | None, typer.Option("--engine", help=f"One of {', '.join(NAMES)}; default: the best here.")]
DeviceProfile = Annotated[
    str | None, typer.Option("--device-profile", help=f"Launch limits: one of {', '.join(PROFILES)}.")
]
Json = Annotated[bool, typer.Option("--json", help="Report as JSON on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Only finds, warnings and the end.")]
Cases = Annotated[list[Path], typer.Argument(help="Case files.")]

LONGEST = 365 * 24 * 3600
"""Seconds that a run may be given: no timer of the system counts to infinity."""

DEFAULT_TARGET = "masked_grid"
DEFAULT_LAYOUT_TARGET = "KVBlockZeroer"


def usual_target(profiles: tuple[str, ...]) -> str:
    """What is tested where no target is named."""
    return DEFAULT_LAYOUT_TARGET if set(profiles) & set(OF_LAYOUTS) else DEFAULT_TARGET


def checked(targets: list[str] | None, engine: str | None, device_profile: str | None) -> tuple[str, ...]:
    """The targets to run, once all three options are found possible.

    Raises:
        UsageError: naming option, value and what is accepted.
        EngineError: if the engine cannot have that device profile.
    """
    one_of("engine", engine, NAMES)
    one_of("device_profile", device_profile, tuple(PROFILES))
    if engine == "cuda" and device_profile not in (None, "h200"):
        raise EngineError(
            f"device_profile={device_profile}: a CUDA device has the launch limits of h200; "
            "try another profile's with --engine simulator"
        )
    chosen = tuple(dict.fromkeys(targets or [DEFAULT_TARGET]))
    for locator in chosen:
        locators.check(locator)
    return chosen


def one_of(name: str, value: str | None, accepted: tuple[str, ...]) -> None:
    """Refuse a value that is not among the accepted ones.

    Raises:
        UsageError: naming all of them.
    """
    if value is not None and value not in accepted:
        raise UsageError(f"{name}={value!r}: must be one of {', '.join(accepted)}")


def duration(seconds: float) -> float:
    """A time for a whole run, in seconds.

    Raises:
        UsageError: if it is no time, or one without an end.
    """
    if not 0 < seconds <= LONGEST:
        raise UsageError(f"seconds={seconds:.10g}: must be more than 0 and at most {LONGEST}, a year")
    return seconds


def corpus_folder(corpus: Path | None) -> Path:
    """The folder named, or the default one.

    Raises:
        UsageError: if the name belongs to a file.
    """
    folder = corpus or corpora.default()
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"corpus={folder}: is a file; name a folder")
    return folder
