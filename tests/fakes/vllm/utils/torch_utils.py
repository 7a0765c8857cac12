"""Ids on their way to the device."""

import torch

PIN_MEMORY = True


def async_tensor_h2d(data, device, dtype):
    """A list on the device; pinning fails where there is no GPU, as in vLLM."""
    return torch.tensor(data, dtype=dtype, pin_memory=PIN_MEMORY).to(device, non_blocking=True)
