"""Importing a target by its locator."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

from fuzz import built_in, contents, revisions
from fuzz.errors import UsageError
from fuzz.locators import CLIENTS, GROUP, check
from fuzz.target import SAYS, Takes, Target
from fuzz.verdict import in_words
from kvzero.segments import Limits

_folders: set[Path] = set()
"""Where the files of targets that were loaded so far lie."""


def load(locator: str) -> Target:
    """Import a target; to be called in a worker, for it runs the target's code.

    Raises:
        UsageError: if it cannot be imported, is not there, or cannot be called.
    """
    check(locator)
    if locator in built_in.BUILT_IN:
        return built_in.load(locator)
    make = _client(locator) or _entry_point(locator) or _attribute(locator)
    if not callable(make):
        raise UsageError(
            f"target={locator!r}: is a {type(make).__name__}, not callable; "
            "a target is a function zeroer(table, device) that gives zero(ids)"
        )
    limits = getattr(make, "limits", Limits())
    if not isinstance(limits, Limits):
        raise UsageError(f"target={locator!r}: limits={limits!r}: must be a kvzero.Limits")
    taken: Takes = getattr(make, "takes", "table")
    if taken not in get_args(Takes):
        raise UsageError(f"target={locator!r}: takes={taken!r}: must be one of {', '.join(get_args(Takes))}")
    says = {word: bool(getattr(make, word, False)) for word in SAYS}
    name, file = locator.rpartition(":")[2], _module_file(locator, make)
    content = contents.of_file(name, file) if file else contents.of_built_in(locator)
    files = tuple(contents.files_of(file)) if file else ()
    return Target(locator, make, limits, takes=taken, content=content, files=files, **says)


def _module_file(locator: str, make: Any) -> Path | None:
    """The file that a target stands in, if that is known."""
    module = sys.modules.get(getattr(make, "__module__", None) or "")
    place = locator.rpartition(":")[0]
    if place.startswith(revisions.PREFIX):
        return revisions.exported(locator)
    file = place if place.endswith(".py") else getattr(sys.modules.get(place) or module, "__file__", None)
    return Path(file) if file else None


def _client(locator: str) -> Any:
    if locator not in CLIENTS:
        return None
    from fuzz.adapters import vllm  # noqa: PLC0415 - imports vLLM

    try:
        return vllm.target(locator)
    except UsageError as error:
        raise UsageError(f"target={locator!r}: {error}") from None


def _entry_point(locator: str) -> Any:
    for point in entry_points(group=GROUP, name=locator):
        try:
            return point.load()
        except Exception as error:
            raise UsageError(f"target={locator!r}: loading it raised {in_words(error)}") from None
    return None


def _attribute(locator: str) -> Any:
    place, _, name = locator.rpartition(":")
    try:
        if place.startswith(revisions.PREFIX):
            module = _file(revisions.exported(locator))
        else:
            module = _file(Path(place)) if place.endswith(".py") else _module(place)
    except UsageError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(f"target={locator!r}: importing {place} raised {in_words(error)}") from None
    if not hasattr(module, name):
        raise UsageError(f"target={locator!r}: {place} has no {name}")
    return getattr(module, name)


def _module(name: str) -> ModuleType:
    """Import a module, also one in the folder that the user stands in."""
    sys.path.append(str(Path.cwd()))
    return importlib.import_module(name)


def _file(path: Path) -> ModuleType:
    """Import a file as a module of its own, its folder on the path as if it were run.

    What another target's file imported from its folder is forgotten first: the same file in two revisions
    must not get one revision's neighbours twice.
    """
    folder = path.resolve().parent
    for other in _folders - {folder}:
        for name in contents.beside(other).values():
            top = name.split(".")[0]
            if (folder / f"{top}.py").exists() or (folder / top).is_dir():
                sys.modules.pop(name, None)
    _folders.add(folder)
    spec = importlib.util.spec_from_file_location(f"kvzero_target_{path.stem}", path.resolve())
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    sys.path.insert(0, str(folder))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
