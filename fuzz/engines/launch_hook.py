"""Every Triton launch, seen on its way: kernel, grid, warps, arguments, compile key."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, Self

from triton.runtime.interpreter import InterpretedFunction
from triton.runtime.jit import JITFunction

DEFAULT_WARPS = 4
"""Triton's own, where a launch names none."""


@dataclass
class Launch:
    """One launch as it was asked for.

    Attributes:
        kernel: the kernel function's name.
        grid: blocks in up to three dimensions.
        num_warps: warps a block.
        arguments: positional arguments, then keyword arguments as ``(name, value)``.
        compile_key: the hash of the compiled kernel that ran, or None if none did.
    """

    kernel: str
    grid: tuple[int, ...]
    num_warps: int
    arguments: tuple[Any, ...]
    compile_key: str | None = None


class Compiled(NamedTuple):
    """A compiled kernel that was launched, or made by Triton's own ``kernel.warmup`` and not launched.

    Attributes:
        function: the kernel, as decorated.
        key: the hash of its compiled variant.
        positional: arguments by position.
        named: arguments and launch options by name.
    """

    function: Any
    key: str
    positional: tuple[Any, ...]
    named: dict[str, Any]


Decide = Callable[[Launch], tuple[int, ...]]

compile_keys: set[str] = set()
"""Hashes of the compiled kernels that this process launched or asked for; the interpreter has none."""

_watchers: list[Watched | None] = []
"""Who sees launches at the moment, the innermost last; None where nobody does."""


class Watched:
    """Within it, each launch is shown to ``decide``, and the grid that it gives back is run.

    ``decide`` is called after compilation and just before the launcher. It may raise what a launcher
    would raise, or give back a grid with a zero to run nothing.

    Attributes:
        decide: told of each launch, gives the grid to run.
        compiled: every compiled kernel that was launched or asked for, in order; in the interpreter none.
    """

    def __init__(self, decide: Decide) -> None:
        self.decide = decide
        self.compiled: list[Compiled] = []

    def __enter__(self) -> Self:
        _install()
        _watchers.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        _watchers.pop()


@contextmanager
def unseen() -> Iterator[None]:
    """Within it, launches are the harness's own: nobody is shown them, and their keys are not counted."""
    _watchers.append(None)
    try:
        yield
    finally:
        _watchers.pop()


@cache
def _install() -> None:
    """Hook Triton's two launch methods, once a process.

    Not once a case: a type that is changed again and again loses CPython's cache of its attributes.
    """
    for kind in (JITFunction, InterpretedFunction):
        kind.run = _seen(kind.run)


def _seen(run: Callable[..., Any]) -> Callable[..., Any]:
    def seen_run(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        watcher, launch = _watchers[-1] if _watchers else None, None
        if watcher is None:
            return run(self, *args, grid=grid, warmup=warmup, **kwargs)

        def decided(meta: Any) -> tuple[int, ...]:
            nonlocal launch
            asked = tuple(map(operator.index, grid(meta) if callable(grid) else grid))
            warps = kwargs.get("num_warps") or DEFAULT_WARPS
            launch = Launch(self.fn.__name__, asked, warps, (*args, *kwargs.items()))
            return watcher.decide(launch)

        compiled = run(self, *args, grid=decided, warmup=warmup, **kwargs)
        if hasattr(compiled, "hash"):
            watcher.compiled.append(Compiled(self, compiled.hash, args, kwargs))
            compile_keys.add(compiled.hash)
            if launch is not None:
                launch.compile_key = compiled.hash
        return compiled

    return seen_run
