"""Finding a target by its locator: a name, or ``PLACE:name``.

A place is ``path/file.py``, ``package.module``, or ``git:REV:path/file.py``.

A target is a function ``zeroer(table, device) -> zero(ids)``; one that says ``takes = "layout"`` gets a
``kvzero.specs.CacheLayout`` instead of a table. Names are also looked up among the
entry points of the group ``kvzero.targets``.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args

import kvzero
from fuzz import contents, revisions
from fuzz.case import Case
from fuzz.errors import UsageError
from fuzz.verdict import in_words
from kvzero.segments import Limits

GENERATIONS = {
    "uniform_page": "v0: one page size, one flat grid",
    "page_table": "v1: a page for each segment, read off its stride",
    "page_buckets": "v1b: one launch for each page size",
    "block_stride": "v2: stride apart from page",
    "ids_on_z": "v3: a 3-D grid, ids on z",
    "masked_grid": "v4: a 3-D grid, masked wide chunks; today's upstream kernel",
    "chunk_list": "v5: a list of equal chunks, granular to the byte, ids checked; our own, must never fail",
}
BYTE_GRANULAR = ("chunk_list",)
"""Generations that take sizes of any number of bytes; the others store int32."""
TABLES = GENERATIONS | {"index_fill": "torch's index_fill_, byte by byte; must never fail"}
LAYOUTS = {
    "KVBlockZeroer": "our planner, layer's bytes exactly, with our kernel chunk_list",
    "first_planner": "v0: page read off the stride, first layer at an address wins, full attention only",
    "block_stride_planner": "v2: stride apart from page, first layer at an address wins",
}
BUILT_IN = TABLES | LAYOUTS
CLIENTS = {
    "vllm_kernel": "the installed vLLM's class and kernel, on a table",
    "vllm": "the installed vLLM's planner, class and kernel, on a layout",
}
"""Other packages' zeroers. They go by a name like built-in ones, but in the corpus they are strangers: a kept
case's ``finds`` must not name them, for what they show depends on what is installed."""
GROUP = "kvzero.targets"

_folders: set[Path] = set()
"""Where the files of targets that were loaded so far lie."""

Takes = Literal["table", "layout"]
"""What a target is made of."""


@dataclass(frozen=True)
class Target:
    """A zeroer under test: its locator, the function that makes it, what it declines.

    ``virtual`` tells that it reaches the cache through Triton alone, and so may be given addresses
    without memory; ``newer_form`` that it takes only layouts whose blocks are the first dimension of
    every cache; ``capturable`` that its calls may be captured into CUDA graphs. ``content`` is the hash of
    what it is made of; ``files`` are its own file and those beside it, of a built-in target the file of its kernel.
    """

    name: str
    make: Callable[[Any, Any], Callable[[list[Any]], None]]
    limits: Limits
    virtual: bool = False
    capturable: bool = False
    newer_form: bool = False
    takes: Takes = "table"
    content: str = ""
    files: tuple[Path, ...] = ()


def built_in(case: Case) -> tuple[str, ...]:
    """The built-in targets that a case, or some case of a sequence, is for."""
    if case.sequence:
        return tuple(dict.fromkeys(name for member in case.sequence for name in built_in(member)))
    return tuple(LAYOUTS if case.layers else TABLES)


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


def load(locator: str) -> Target:
    """Import a target; to be called in a worker, for it runs the target's code.

    Raises:
        UsageError: if it cannot be imported, is not there, or cannot be called.
    """
    check(locator)
    if locator in BUILT_IN:
        return replace(_built_in(locator), content=contents.of_built_in(locator), files=(_built_in_file(locator),))
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
    says = {word: bool(getattr(make, word, False)) for word in ("virtual", "capturable", "newer_form")}
    name, file = locator.rpartition(":")[2], _module_file(locator, make)
    content = contents.of_file(name, file) if file else contents.of_built_in(locator)
    files = tuple(contents.files_of(file)) if file else ()
    return Target(locator, make, limits, takes=taken, content=content, files=files, **says)


def beyond(limits: Limits, case: Case) -> str | None:
    """Which limit of a target a contract case exceeds, in words; None if it takes the case."""
    segments = case.segments
    if not case.keeps(limits.unit):
        return f"sizes are no multiples of unit={limits.unit}"
    if limits.segments is not None and sum(s.times for s in segments) > limits.segments:
        return f"more than segments={limits.segments}"
    if limits.ids is not None and any(len(call.ids) > limits.ids for call in case.calls):
        return f"more than ids={limits.ids} in a call"
    if limits.page is not None and any(s.page > limits.page for s in segments):
        return f"a page wider than page={limits.page}"
    if limits.uniform and len({(s.page, s.stride) for s in segments}) > 1:
        return "segments differ, uniform=True"
    return None


def _built_in(name: str) -> Target:
    if name in GENERATIONS:
        return Target(name, _generation(name), Limits(unit=1) if name in BYTE_GRANULAR else Limits(), virtual=True)
    if name in LAYOUTS:
        return Target(name, _planner(name), Limits(), takes="layout")
    from fuzz.index_fill import LIMITS, zeroer  # noqa: PLC0415 - needs torch

    return Target(name, zeroer, LIMITS)


def _built_in_file(name: str) -> Path:
    """The file that a built-in target's kernel, or else its Python, stands in."""
    ours = Path(kvzero.__file__).parent
    if name in GENERATIONS:
        return ours / "generations" / f"{name}.py"
    return ours / "zeroer.py" if name in LAYOUTS else Path(__file__).with_name("index_fill.py")


def _module_file(locator: str, make: Any) -> Path | None:
    """The file that a target stands in, if that is known."""
    module = sys.modules.get(getattr(make, "__module__", None) or "")
    place = locator.rpartition(":")[0]
    if place.startswith(revisions.PREFIX):
        return revisions.exported(locator)
    file = place if place.endswith(".py") else getattr(sys.modules.get(place) or module, "__file__", None)
    return Path(file) if file else None


def _generation(name: str) -> Callable[[Any, Any], Callable[[list[Any]], None]]:
    from kvzero.zeroer import KVBlockZeroer  # noqa: PLC0415 - needs torch and Triton

    return lambda table, device: KVBlockZeroer.of(table, device, kernel=name).zero_block_ids


def _planner(name: str) -> Callable[[Any, Any], Callable[[list[Any]], None]]:
    from kvzero.planners import BY_NAME  # noqa: PLC0415 - needs torch
    from kvzero.zeroer import KVBlockZeroer  # noqa: PLC0415 - needs torch and Triton

    if name == "KVBlockZeroer":
        return lambda layout, device: KVBlockZeroer(device, *layout.arguments()).zero_block_ids
    old = BY_NAME[name]

    def zeroer(layout: Any, device: Any) -> Callable[[list[Any]], None]:
        table = old.plan(device, *layout.older())
        return KVBlockZeroer.of(table, device, kernel=old.KERNEL).zero_block_ids

    return zeroer


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
