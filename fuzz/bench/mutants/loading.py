"""A mutant as a target: its text compiled as a module of its own, which Triton can read back."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from fuzz.bench.mutants.making import Mutant
from fuzz.bench.mutants.sources import SOURCES


def zeroer_of(mutant: Mutant) -> Callable[[Any, Any], Callable[[list[Any]], Any]]:
    """The function ``zeroer(table, device)``, or ``zeroer(layout, device)``, of a mutant."""
    from fuzz.loading import load  # noqa: PLC0415 - mutants are loaded from there
    from kvzero.staging import async_tensor_h2d  # noqa: PLC0415 - needs torch
    from kvzero.warmup import warm_up  # noqa: PLC0415 - needs torch
    from kvzero.zeroer import KVBlockZeroer  # noqa: PLC0415 - needs torch and Triton

    module = _module(mutant)

    def of_layout(layout: Any, device: Any) -> Callable[[list[Any]], Any]:
        return KVBlockZeroer.of(module.plan(device, *layout.arguments()), device).zero_block_ids

    def of_table(table: Any, device: Any) -> Callable[[list[Any]], Any]:
        import torch  # noqa: PLC0415

        meta = module.plan(table, device)

        def upload(ids: Any) -> Any:
            return async_tensor_h2d(ids, torch.int64, device)

        def zero(ids: list[Any]) -> None:
            if ids and meta is not None:
                module.launch(meta, upload(module.checked(meta, ids) if hasattr(module, "checked") else ids))

        def warmup(blocks: int) -> None:
            if blocks > 0 and meta is not None:
                warm_up(module, meta, module.kernel, upload, torch.device(device))

        zero.warmup = warmup  # type: ignore[attr-defined]
        return zero

    takes = SOURCES[mutant.source].takes
    made: Any = of_layout if takes == "layout" else of_table
    made.takes, made.virtual = takes, takes == "table"
    made.limits = load(SOURCES[mutant.source].original).limits
    zeroer: Callable[[Any, Any], Callable[[list[Any]], Any]] = made
    return zeroer


def _module(mutant: Mutant) -> ModuleType:
    name = f"fuzz.bench.mutants.{mutant.name.replace('/', '_').replace('-', '_')}"
    file = f"<{mutant.name}>"
    linecache.cache[file] = (len(mutant.text), None, mutant.text.splitlines(keepends=True), file)
    module = ModuleType(name, mutant.after)
    module.__file__ = file
    sys.modules[name] = module
    exec(compile(mutant.text, file, "exec"), module.__dict__)  # noqa: S102 - our own source, changed in one place
    return module
