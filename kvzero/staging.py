"""Block ids on their way to the device."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
import torch


def async_tensor_h2d(data: Sequence[int] | np.ndarray, dtype: torch.dtype, device: torch.device | str) -> torch.Tensor:
    """Copy a list, or an array of ``dtype``, to the device through a fresh pinned tensor, without waiting for the copy.

    A buffer reused from call to call would be overwritten while an earlier copy still reads it, and
    wrong pages would be cleared (vllm#48085). A fresh one is safe: the caching host allocator keeps
    its memory until the copy's event is done.

    Returns:
        A tensor ``[len(data)]`` of ``dtype`` on ``device``, ready in order of the current stream.
    """
    host = torch.from_numpy(data) if isinstance(data, np.ndarray) else _on_host(data, dtype)
    if torch.device(device).type == "cuda":
        host = _pinned(host)
    return host.to(device, non_blocking=True)


def _on_host(data: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """The list as a tensor; one of integers that fit takes a third of the time that torch needs."""
    if isinstance(data, list) and dtype == torch.int64:
        try:
            return torch.from_numpy(np.array(array("q", data)))
        except (TypeError, OverflowError):
            pass  # what is no such integer is torch's to convert or to refuse
    return torch.tensor(data, dtype=dtype)


def _pinned(host: torch.Tensor) -> torch.Tensor:
    """A pinned copy; NumPy makes it in less time than ``pin_memory``."""
    copy = torch.empty(host.shape, dtype=host.dtype, pin_memory=True)
    copy.numpy()[:] = host.numpy()
    return copy
