"""Mutation operators by name: each says what text may stand in for a node, one place at a time."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from fuzz.bench.mutants import of_flow, of_numbers, of_places

Operator = Callable[[ast.AST], Iterator[str]]
"""From a node to the texts that replace it, none if the operator has nothing to do with it."""

OPERATORS: dict[str, Operator] = {
    "compare-off-by-one": of_flow.compare_off_by_one,
    "mask-dropped": of_flow.mask_dropped,
    "early-return-lost": of_flow.early_return_lost,
    "stride-for-page": of_places.stride_for_page,
    "axis-swapped": of_places.axis_swapped,
    "end-skipped": of_places.end_skipped,
    "chunk-bound": of_places.chunk_bound,
    "int32-for-int64": of_numbers.int32_for_int64,
    "floor-for-ceil": of_numbers.floor_for_ceil,
    "id-truncated": of_numbers.id_truncated,
    "constant-off": of_numbers.constant_off,
    "store-value": of_numbers.store_value,
    "address-off": of_numbers.address_off,
}
