"""The first of torch's operators in a stretch of code that has a device do more than take a copy from the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from fuzz.operator_mode import OperatorMode

ROOM = ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "resize_", "set_", "record_stream")
"""Operators that find room for a tensor, or say who uses it, and run nothing."""

COPIES = {"_to_copy": 0, "copy_": 1}
"""Operators that copy, and which of their arguments is copied."""


class FirstWork(OperatorMode):
    """Within it, ``began`` is called just before the first such operator.

    Allocations, views and uploads are none. What is no operator of torch's is not seen: a launch of Triton's, a
    replayed graph, another library.

    Args:
        began: told once.
    """

    def __init__(self, began: Callable[[], None]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._began: Callable[[], None] | None = began

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run an operator."""
        if self._began is not None and _works(func, args, kwargs or {}):
            began, self._began = self._began, None
            began()
        return func(*args, **(kwargs or {}))


def _works(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether an operator has a device work."""
    name = func.overloadpacket.__name__
    if name in ROOM or func.is_view:
        return False
    if name in COPIES:
        return _remote(args[COPIES[name]].device)
    tensors = (leaf.device for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor))
    return _remote(kwargs.get("device")) or any(map(_remote, tensors))


def _remote(device: Any) -> bool:
    """Whether it is a device apart from the host."""
    return device is not None and torch.device(device).type != "cpu"
