"""The planner under drawn caches: sound ones are cleared byte for byte, damaged ones refused or cleared safely.

Caches are those of profile layout, on CPU tensors. Nothing runs: a table says which bytes would be cleared,
and the layout oracle, which knows no segment, says which must and which may be.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from fuzz.build import build
from fuzz.caches import caches
from fuzz.case import Case
from fuzz.harnesses import Disagreement
from fuzz.harnesses.damages import damage
from fuzz.harnesses.provider import Bytes, FromBytes, Provide
from fuzz.layout import effects_of, total
from kvzero import planner
from kvzero.segments import SegmentTable
from kvzero.specs import CacheLayout

SHOWN = 4
"""Wrong bytes that a disagreement names."""


def one(data: bytes, provider: Provide = Bytes) -> None:
    """Draw caches from ``data``, damage them if it says so, and plan them in every form.

    Raises:
        Disagreement: if sound caches are refused, or a byte is cleared or left that must not be.
        Exception: whatever but ``PlanError`` the planner raises.
    """
    source = FromBytes(provider(data))
    case = build(source, "layout")
    image = torch.zeros(total(case), dtype=torch.uint8)
    layout = caches(case, image)
    if damage(layout, image, source):
        for _, arguments, wide in _forms(layout):
            try:
                table = planner.plan("cpu", *arguments, wide=wide)
            except planner.PlanError as error:
                str(error).encode()
            else:
                _inside(table, image)
        return
    must, may = _masks(case)
    for form, arguments, wide in _forms(layout):
        try:
            table = planner.plan("cpu", *arguments, wide=wide)
        except planner.PlanError as error:
            raise Disagreement(f"{form}: sound caches are refused: {error}") from error
        _inside(table, image)
        cleared = _cleared(table, image, case)
        _empty(f"{form}: bytes that had to be cleared are not", must & ~cleared)
        _empty(f"{form}: bytes are cleared that had to stay", cleared & ~(must | may if wide else must))
        if len(table) and table.blocks != case.num_blocks:
            raise Disagreement(f"{form}: the table has {table.blocks} blocks instead of {case.num_blocks}")


def _forms(layout: CacheLayout) -> Iterator[tuple[str, tuple[Any, ...], bool]]:
    """Both forms of the constructor, as far as they apply, narrow and wide."""
    forms = {"older form": layout.older()}
    if layout.cache_dtype is None:
        forms["newer form"] = layout.arguments()
    for name, arguments in forms.items():
        yield name, arguments, False
        yield f"{name}, wide", arguments, True


def _masks(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """The bytes that must and those that may be cleared by all calls together."""
    ids = np.unique(np.concatenate([call.ids.distinct() for call in case.calls]))
    effects = effects_of(case, ids)
    masks = np.zeros((2, total(case)), bool)
    for mask, intervals in zip(masks, (effects.must, effects.may), strict=True):
        for start, stop in intervals.tolist():
            mask[start:stop] = True
    return masks[0], masks[1]


def _cleared(table: SegmentTable, image: torch.Tensor, case: Case) -> np.ndarray:
    """The bytes that a table's pages of the called blocks cover."""
    mask = np.zeros(image.numel(), bool)
    ids = {number for call in case.calls for number in call.ids.distinct().tolist()}
    for base, stride, page in _rows(table):
        for number in ids:
            start = base + number * stride - image.data_ptr()
            mask[start : start + page] = True
    return mask


def _inside(table: SegmentTable, image: torch.Tensor) -> None:
    """Every page of every block lies in the image, whatever ids are called."""
    low, high = image.data_ptr(), image.data_ptr() + image.numel()
    if len(table) and not (isinstance(table.blocks, int) and table.blocks > 0):
        raise Disagreement(f"blocks={table.blocks!r} of a table with segments")
    for base, stride, page in _rows(table):
        last = base + ((table.blocks or 1) - 1) * stride
        if not (page >= 1 and low <= base <= last and last + page <= high):
            raise Disagreement(
                f"base={base - low} from the caches' start, stride={stride}, page={page}, blocks={table.blocks}: "
                f"leaves their {high - low} bytes"
            )
        if stride < page and table.blocks != 1:
            raise Disagreement(f"stride={stride}, page={page}: blocks overlap")


def _rows(table: SegmentTable) -> Iterator[tuple[int, int, int]]:
    return zip(table.base.tolist(), table.stride.tolist(), table.page.tolist(), strict=True)


def _empty(words: str, mask: np.ndarray) -> None:
    wrong = np.flatnonzero(mask)
    if len(wrong):
        raise Disagreement(f"{words}: {len(wrong)} of them, at {', '.join(map(str, wrong[:SHOWN]))} of the image")
