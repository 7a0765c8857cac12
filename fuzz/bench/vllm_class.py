"""The installed vLLM's own class with its kernel exchanged for ours, so that a row shows what a merge would bring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fuzz.adapters import vllm
from kvzero.generations import chunk_list


class InPlace:
    """Stands where the class looks for its kernel: takes that one's launch, and launches ours with the same ids.

    Args:
        meta: what our planner made of the segments that the class has.
    """

    def __init__(self, meta: Any) -> None:
        self._meta = meta

    def __getitem__(self, _grid: tuple[int, ...]) -> Callable[..., None]:
        return self._launch

    def _launch(self, _addrs: Any, _strides: Any, _pages: Any, ids: Any, **_chunk: int) -> None:
        chunk_list.launch(self._meta, ids)


def with_chunk_list(table: Any, device: Any) -> Callable[[list[Any]], None]:
    """A vLLM zeroer of segments; only during its calls is the kernel of its module another.

    The upload and everything else of a call are vLLM's: ids are not checked.

    Raises:
        UsageError: if vLLM is not installed, or is of another form.
    """
    made = vllm.target("vllm_kernel")(table, device)
    utils = vllm.package().utils
    ours = InPlace(chunk_list.plan(table, device))

    def zero(ids: list[Any]) -> None:
        its_own, utils._zero_kv_blocks_kernel = utils._zero_kv_blocks_kernel, ours  # noqa: SLF001 - what is exchanged
        try:
            made(ids)
        finally:
            utils._zero_kv_blocks_kernel = its_own  # noqa: SLF001

    return zero
