"""vLLM's own class and kernel behind a segment table; copied into exported scripts, so it needs nothing of ours."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

WORD = 4
"""Bytes of an element: vLLM's kernel stores int32."""

WIDEST_CHUNK = 1024
"""Elements of a chunk at the most, by vLLM's constructor."""


class Checkout(importlib.metadata.Distribution):
    """The metadata that a checkout lacks: without any, vLLM switches Triton off and takes no GPU for one."""

    def read_text(self, filename: str) -> str | None:
        """Name and version; a version that says nothing of a CPU build is all that vLLM looks for."""
        return "Name: vllm\nVersion: 0\n" if filename == "METADATA" else None

    def locate_file(self, path: Any) -> Any:
        """No file belongs to it."""
        return path


class CheckoutFinder(importlib.metadata.DistributionFinder):
    """Finds vLLM's metadata, after all who may know better."""

    def find_spec(self, *_: Any) -> None:
        """No module is found here."""

    def find_distributions(self, context: Any = None) -> Any:
        """The distribution, if it is vLLM's that is asked for."""
        return [Checkout()] if context is not None and context.name == "vllm" else []


def worker_utils() -> Any:
    """Give vLLM's module of the zeroer, imported so that its Triton kernels are real without a GPU, too.

    Without a GPU vLLM switches Triton off, unless CUDA_VISIBLE_DEVICES is set but empty: then it expects
    devices to come later. It also would stage ids in pinned memory, which torch has only beside a GPU.
    """
    try:
        importlib.metadata.distribution("vllm")
    except importlib.metadata.PackageNotFoundError:
        sys.meta_path.append(CheckoutFinder())
    if not torch.cuda.is_available():
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
        staging: Any = importlib.import_module("vllm.utils.torch_utils")
        staging.PIN_MEMORY = False
    return importlib.import_module("vllm.v1.worker.utils")


def laid_out(table: Any, device: Any) -> tuple[Any, ...]:
    """A segment table as vLLM's constructor leaves it behind.

    Three tensors of their own (addresses uint64, strides and pages int64, counted in elements), then
    chunks of the widest page, elements of a chunk, segments.

    Raises:
        ValueError: if a size is no multiple of four bytes; vLLM's constructor asserts the same.
    """
    for name in ("base", "stride", "page"):
        if (getattr(table, name) % WORD).any():
            raise ValueError(f"{name}: not all are multiples of {WORD} bytes")
    base, stride, page = (np.array(column) for column in (table.base, table.stride // WORD, table.page // WORD))
    widest = int(page.max())
    chunk = min(1 << (widest - 1).bit_length(), WIDEST_CHUNK)
    return (
        torch.from_numpy(base.view(np.uint64)).to(device),
        torch.from_numpy(stride).to(device),
        torch.from_numpy(page).to(device),
        -(-widest // chunk),
        chunk,
        len(base),
    )


def zeroer(table: Any, device: Any) -> Callable[[list[Any]], None]:
    """A vLLM zeroer of segments that are known already: its constructor, which plans them, is left out."""
    made = object.__new__(worker_utils().KVBlockZeroer)
    made.device = torch.device(device)
    made._meta = laid_out(table, device) if len(table) else None  # device and this are all that it sets
    zero: Callable[[list[Any]], None] = made.zero_block_ids
    return zero


zeroer.virtual = True  # type: ignore[attr-defined]  # it reaches the cache through Triton alone
