"""Faults of the launch: grids past an axis, products past 32 bits, too many threads, nothing at all."""

from __future__ import annotations

from fuzz.bench.specimens.models import Grid, count, flat, refused, table_case, wide_chunks, widest
from fuzz.bench.specimens.specimen import Predicate, Specimen, always, asks, target
from fuzz.case import Call, Case, Segment
from oracles import launches

AXIS = 65_535
"""Programs that CUDA takes on y, and on z."""

ONE = Segment(0, 1, 4, 4)
WIDE = 524_260
"""Bytes of a page with an odd number of elements: no chunk but one element divides it."""


def _flat(profile: str, warps: int = 4) -> Predicate:
    return lambda case: refused(case, flat, profile, warps)


def _masked(case: Case, call: Call) -> Grid:
    return len(call.ids), count(case), wide_chunks(case)


def _folded(case: Case, call: Call) -> Grid:
    """More segments than y holds go on along z."""
    return len(call.ids), min(count(case), AXIS), wide_chunks(case) * -(-count(case) // AXIS)


def _many_ids(case: Case) -> bool:
    return any(len(call.ids) > AXIS for call in case.calls)


def _any_list(case: Case) -> bool:
    """Whether a list, an empty one too, makes a grid that the device refuses."""
    grids = (_masked(case, call) for call in case.calls)
    return any(launches.judge(grid, 4, "ascend910b").outcome != "runs" for grid in grids)


SPECIMENS = (
    Specimen(
        "flat-grid-on-hip", (18,), "vllm#50485", "programs on one axis times 256 threads reach 2^32",
        target("launching", "flat_grid"), ("rejected:launch-x",), asks, _flat("mi300x"),
        table_case(Segment(0, 1, WIDE, WIDE), ids="0*129"), device_profile="mi300x",
    ),
    Specimen(
        "flat-grid", (19,), "vllm#52058, vllm#52062", "programs on one axis pass 2^31",
        target("launching", "flat_grid"), ("rejected:launch-x",), asks, _flat("h200"),
        table_case(Segment(0, 1, WIDE, WIDE), ids="0*16385"),
    ),
    Specimen(
        "segments-on-y", (20,), "v4's axes", "65,536 segments stand on y",
        target("launching", "segments_on_y"), ("rejected:launch-y",), asks,
        lambda case: asks(case) and count(case) > AXIS, table_case(Segment(0, 1, 4, 4, 65_536)),
    ),
    Specimen(
        "ids-on-z", (21,), "vllm#50485's proposal", "65,536 ids stand on z",
        target("launching", "ids_on_z"), ("rejected:launch-z",), asks, _many_ids, table_case(ONE, ids="0*65536"),
    ),
    Specimen(
        "elements-on-y", (48,), "triton#3299, TensorRT-LLM#17660, FlagGems#1692", "a page's elements stand on y",
        target("launching", "elements_on_y"), ("rejected:launch-y",), asks,
        lambda case: asks(case) and widest(case) > AXIS, table_case(Segment(0, 1, 4 * AXIS + 4, 4 * AXIS + 4)),
    ),
    Specimen(
        "ids-on-y", (49,), "vllm#52381", "65,536 rows stand on y, one more than the test had",
        target("launching", "ids_on_y"), ("rejected:launch-y",), asks, _many_ids, table_case(ONE, ids="0*65536"),
    ),
    Specimen(
        "product-in-32-bits", (50,), "triton#7260", "a launch whose product wraps is silently not made",
        target("launching", "product_in_32_bits"), ("skipped:product",), asks,
        lambda case: refused(case, _folded, "h200"),
        table_case(Segment(0, 1, 520_196, 520_196, 32), ids="0*524288"),
    ),
    Specimen(
        "eight-warps", (51,), "hip#2253, rocm-systems#2372", "512 threads a program reach 2^32 at 2^23 programs",
        target("launching", "eight_warps"), ("rejected:launch-x",), asks, _flat("mi300x", 8),
        table_case(Segment(0, 1, WIDE, WIDE), ids="0*65"), device_profile="mi300x",
    ),
    Specimen(
        "many-warps", (52,), "pytorch#175698, triton#4128", "32 warps are 2,048 threads where a wave has 64",
        target("launching", "many_warps"), ("rejected:launch-threads",), asks,
        lambda case: refused(case, _masked, "mi300x", 32), table_case(ONE),
        profiles=("small",), device_profile="mi300x",
    ),
    Specimen(
        "launches-nothing-too", (54,), "triton-ascend#984", "an empty list is launched, as a grid of 0 programs",
        target("launching", "launches_nothing_too"), ("rejected:launch-product",),
        lambda case: not all(call.ids for call in case.calls), _any_list, table_case(ONE, ids=""),
        profiles=("small",), device_profile="ascend910b",
    ),
    Specimen(
        "native-op", (41,), "ROCm's shuffled layout", "the constructor needs an operator that the build does not have",
        target("launching", "native_op"), ("rejected:constructor",), always, always, table_case(ONE, ids=""),
    ),
)  # fmt: skip
