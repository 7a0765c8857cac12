"""The zeroer that an engine's worker holds: it clears freshly allocated blocks before they are read."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, Self

import torch

from kvzero.generations import BY_META_LENGTH, BY_NAME, masked_grid
from kvzero.planner import plan
from kvzero.segments import SegmentTable
from kvzero.staging import async_tensor_h2d
from kvzero.warmup import warm_up

__all__ = ["KVBlockZeroer", "async_tensor_h2d"]

_zero_kv_blocks_kernel = masked_grid.kernel
"""Looked up at each call: a kernel put here in a test stands in for every generation's own."""


class KVBlockZeroer:
    """Clears the pages of given blocks in every cache of a runner, on the current stream.

    Takes what upstream's class of the same name takes, in its newer form and in its older one; see
    :func:`kvzero.planner.plan`. An instance made by ``__new__`` with only ``device`` and ``_meta`` set
    works too; then the length of the tuple tells the generation.

    Args:
        device: where the caches lie.
        attn_groups_iter: the runner's attention groups.
        kernel_block_sizes: by group number, tokens of a kernel block.
        rest: the other arguments of one of the two forms.
        kernel: name of the kernel generation, one of ``kvzero.generations.BY_NAME``; our own if none is named. What
            reads ``_meta`` as upstream keeps it, or counts on upstream's grid, wants ``"masked_grid"``.
        wide: clear one span a block, as upstream does, instead of exactly the layer's bytes.
        named: the other arguments by name.

    Raises:
        PlanError: if a cache cannot be cleared: layer, value, rule.
        ValueError: if the generation is unknown or cannot address the caches.
    """

    _kernel: str | None = None

    def __init__(
        self,
        device: torch.device | str,
        attn_groups_iter: Any,
        kernel_block_sizes: Sequence[int],
        *rest: Any,
        kernel: str = "chunk_list",
        wide: bool = False,
        **named: Any,
    ) -> None:
        self.take(plan(device, attn_groups_iter, kernel_block_sizes, *rest, wide=wide, **named), device, kernel)

    @classmethod
    def of(cls, table: SegmentTable, device: torch.device | str, *, kernel: str = "chunk_list") -> Self:
        """A zeroer of segments that are known already, their addresses on ``device``.

        Raises:
            ValueError: if the generation is unknown or cannot address the table.
        """
        made = cls.__new__(cls)
        made.take(table, device, kernel)
        return made

    def take(self, table: SegmentTable, device: torch.device | str, kernel: str) -> None:
        """Prepare for a table, in place of any before.

        Raises:
            ValueError: if the generation is unknown or cannot address the table.
        """
        if kernel not in BY_NAME:
            raise ValueError(f"kernel={kernel!r}: must be one of {', '.join(BY_NAME)}")
        self.device = torch.device(device)
        self._kernel = kernel
        self._meta: Any = BY_NAME[kernel].plan(table, self.device)

    def zero_block_ids(self, ids: Sequence[int]) -> None:
        """Set every page of the blocks ``ids`` to zero; nothing is launched for an empty list.

        Ids may repeat and stand in any order. A generation of upstream's does not check them.

        Raises:
            ValueError, IndexError: if the generation checks ids and one is wrong; nothing is cleared then.
        """
        if not ids or self._meta is None:
            return
        generation, kernel = self._chosen()
        if hasattr(generation, "checked"):
            ids = generation.checked(self._meta, ids)
        generation.launch(self._meta, async_tensor_h2d(ids, torch.int64, self.device), kernel)

    def warmup(self, num_blocks: int) -> None:
        """Compile all that later calls can need, so that no request has to wait for a compiler.

        The kernel runs on scratch memory; no byte of the cache is read or written. A cache without
        blocks is left cold.

        Args:
            num_blocks: blocks of the cache.
        """
        if num_blocks > 0 and self._meta is not None:
            generation, kernel = self._chosen()
            warm_up(
                generation,
                self._meta,
                kernel,
                lambda ids: async_tensor_h2d(ids, torch.int64, self.device),
                self.device,
            )

    def _chosen(self) -> tuple[ModuleType, Any]:
        """The generation, and the kernel to launch for it."""
        generation = BY_NAME[self._kernel] if self._kernel else BY_META_LENGTH[len(self._meta)]
        replaced = _zero_kv_blocks_kernel is not masked_grid.kernel
        return generation, _zero_kv_blocks_kernel if replaced else generation.kernel
