"""Block ids on their way to the device."""

from __future__ import annotations

from collections.abc import Sequence

import torch


def async_tensor_h2d(data: Sequence[int], dtype: torch.dtype, device: torch.device | str) -> torch.Tensor:
    """Copy a list to the device through a fresh pinned tensor, without waiting for the copy.

    A buffer reused from call to call would be overwritten while an earlier copy still reads it, and
    wrong pages would be cleared (vllm#48085). A fresh one is safe: the caching host allocator keeps
    its memory until the copy's event is done.

    Returns:
        A tensor ``[len(data)]`` of ``dtype`` on ``device``, ready in order of the current stream.
    """
    host = torch.tensor(data, dtype=dtype, pin_memory=torch.cuda.is_available())
    return host.to(device, non_blocking=True)
