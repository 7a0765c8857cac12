"""A zeroer with the names and forms of vLLM's."""

import os
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import torch
import triton
import triton.language as tl

from vllm.utils.torch_utils import async_tensor_h2d
from vllm.v1.kv_cache_interface import AttentionSpec

if not torch.cuda.is_available() and os.environ.get("CUDA_VISIBLE_DEVICES") != "":
    raise RuntimeError("without a GPU, and without the variable that says so, Triton would be off")
version("vllm")  # as vLLM does to tell a CPU build, which a checkout alone cannot answer


@triton.jit
def _zero_kv_blocks_kernel(starts, strides, pages, ids, WIDTH: tl.constexpr):
    segment = tl.program_id(1)
    stride, page = tl.load(strides + segment), tl.load(pages + segment)
    columns = tl.program_id(2).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    first = tl.load(starts + segment).to(tl.pointer_type(tl.int32)) + tl.load(ids + tl.program_id(0)) * stride
    tl.store(first + columns, tl.zeros([WIDTH], tl.int32), mask=columns < page)


@dataclass(eq=False)
class AttentionGroup:
    """Layers of one spec."""

    backend: Any
    layer_names: list[str]
    kv_cache_spec: Any
    kv_cache_group_id: int


class KVBlockZeroer:
    """One segment a layer, from the first byte of a block to its last."""

    def __init__(self, device, groups, kernel_block_sizes, context, num_blocks, runner_only_attn_layers=None):
        self.device = device
        self._meta = None
        rows = []
        for group in groups:
            if isinstance(group.kv_cache_spec, AttentionSpec) and group.kv_cache_group_id < len(kernel_block_sizes):
                for name in group.layer_names:
                    cache = context[name].kv_cache
                    if name not in (runner_only_attn_layers or ()) and isinstance(cache, torch.Tensor):
                        size = cache.element_size()
                        page = size + sum(
                            (n - 1) * size * s for n, s in zip(cache.shape[1:], cache.stride()[1:], strict=True)
                        )
                        rows.append((cache.data_ptr(), cache.stride(0) * size // 4, page // 4))
        if rows:
            starts, strides, pages = zip(*rows, strict=True)
            width = min(1 << (max(pages) - 1).bit_length(), 1024)
            self._meta = (
                torch.tensor(starts, dtype=torch.uint64, device=device),
                torch.tensor(strides, dtype=torch.int64, device=device),
                torch.tensor(pages, dtype=torch.int64, device=device),
                -(-max(pages) // width),
                width,
                len(rows),
            )

    def zero_block_ids(self, ids):
        """Clear blocks."""
        if ids and self._meta is not None:
            starts, strides, pages, chunks, width, segments = self._meta
            on_device = async_tensor_h2d(ids, self.device, torch.int64)
            _zero_kv_blocks_kernel[(len(ids), segments, chunks)](starts, strides, pages, on_device, WIDTH=width)
