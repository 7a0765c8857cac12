"""Locators of targets: a name, or ``PLACE:name``.

A place is ``path/file.py``, ``package.module``, or ``git:REV:path/file.py``. A name is that of a built-in target,
of another package's zeroer that we have an adapter for, or of an entry point of the group ``kvzero.targets``.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

from fuzz import revisions
from fuzz.built_in import BUILT_IN, LAYOUTS, TABLES
from fuzz.errors import UsageError
from fuzz.target import Takes

CLIENTS = {
    "vllm_kernel": "the installed vLLM's class and kernel, on a table",
    "vllm": "the installed vLLM's planner, class and kernel, on a layout",
}
"""Other packages' zeroers. They go by a name like built-in ones, but in the corpus they are strangers: a kept
case's ``finds`` must not name them, for what they show depends on what is installed."""
GROUP = "kvzero.targets"


def check(locator: str) -> None:
    """Refuse a locator that cannot lead to a target, without importing anything.

    Raises:
        UsageError: naming the locator and the accepted forms.
    """
    if locator in BUILT_IN or locator in CLIENTS or locator in entry_points(group=GROUP).names:
        return
    if locator.startswith(revisions.PREFIX):
        revisions.check(locator)
        return
    place, colon, name = locator.rpartition(":")
    if not colon or not place or not name:
        raise UsageError(
            f"target={locator!r}: no built-in target of that name; list them with: kvzero targets; "
            "or give path/file.py:name, package.module:name or git:REV:path/file.py:name"
        )
    if place.endswith(".py") and not Path(place).is_file():
        raise UsageError(f"target={locator!r}: there is no file {place} here; say where it is now with --target")


def takes(locator: str) -> Takes | None:
    """What a target is made of, as far as that can be said without importing it."""
    if locator in CLIENTS:
        return "layout" if locator == "vllm" else "table"
    return "layout" if locator in LAYOUTS else "table" if locator in TABLES else None
