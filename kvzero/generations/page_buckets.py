"""v1b: one launch of the first kernel for each distinct page size (vllm#49746, not merged).

Planner rule: as v0, the page is read off the block stride; segments of one page form a bucket, in
order of first appearance.

Faults kept: a page narrower than its stride is cleared up to the next block (vllm#50276); each
bucket's flat grid overflows at 2^31 programs (vllm#52058).
"""

from __future__ import annotations

import torch

from kvzero.generations import uniform_page
from kvzero.segments import SegmentTable

Meta = list[uniform_page.Meta]
"""One v0 meta tuple a bucket."""

kernel = uniform_page.kernel


def plan(table: SegmentTable, device: torch.device | str) -> Meta | None:
    """One v0 meta tuple for each distinct stride.

    Raises:
        ValueError: if a number is no multiple of 4 bytes.
    """
    if not len(table):
        return None
    buckets: Meta = []
    for stride in dict.fromkeys(table.stride.tolist()):
        rows = table.stride == stride
        bucket = SegmentTable(table.base[rows], table.stride[rows], table.page[rows], table.blocks)
        meta = uniform_page.plan(bucket, device)
        if meta is not None:
            buckets.append(meta)
    return buckets


def launch(meta: Meta, ids: torch.Tensor, kernel=kernel) -> None:
    """Clear the blocks whose ids stand in ``ids``, bucket by bucket."""
    for bucket in meta:
        uniform_page.launch(bucket, ids, kernel)
