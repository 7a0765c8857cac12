"""The sources that mutants are made from, read as text: nothing of them is imported here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class Source:
    """A module to mutate.

    Attributes:
        module: its import name.
        original: the built-in target that it makes, which a mutant is compared with.
        takes: what its targets are made of.
        left_out: functions that no legal case reaches by way of that target.
    """

    module: str
    original: str
    takes: Literal["table", "layout"] = "table"
    left_out: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The source as it is installed."""
        package, _, name = self.module.rpartition(".")
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise ImportError(f"{package} has no folder")
        return (Path(spec.submodule_search_locations[0]) / f"{name}.py").read_text(encoding="utf-8")


SOURCES = {
    "masked_grid": Source("kvzero.generations.masked_grid", "masked_grid"),
    "block_stride": Source("kvzero.generations.block_stride", "block_stride"),
    # A span a block is an option that this target does not take; arguments and units are right in every legal case,
    # and the number of blocks is not read by today's kernel.
    "planner": Source("kvzero.planner", "KVBlockZeroer", "layout", ("_span", "_bound", "_keep_units", "plan")),
    "chunk_list": Source("kvzero.generations.chunk_list", "chunk_list"),
}
