"""Faults of order: they show where calls are in flight together, which takes a GPU.

What is triggered is said for the cases that profile order draws most, those whose calls all clear; it is a lower
bound, since a write that comes too early or too late shows the fault as well.
"""

from __future__ import annotations

from msgspec.structs import replace

from fuzz.bench.specimens.models import table_case
from fuzz.bench.specimens.specimen import Predicate, Specimen, asks, target
from fuzz.case import Call, Case, Segment
from fuzz.ids import Ids


def _overtaken(buffers: int) -> Predicate:
    """Whether some block is cleared by no call, because later calls wrote their ids over a buffer that is read late."""

    def overtaken(case: Case) -> bool:
        if not case.overlaps or any(call.op == "write" or call.graph for call in case.calls):
            return False
        lists = [call.ids.tolist() for call in case.calls if call.ids]
        ring: list[dict[int, int]] = [{} for _ in range(buffers)]
        for turn, ids in enumerate(lists):
            ring[turn % buffers] |= dict(enumerate(ids))
        read = {ring[turn % buffers][place] for turn, ids in enumerate(lists) for place in range(len(ids))}
        return read != {block for ids in lists for block in ids}

    return overtaken


def _wiped(case: Case) -> bool:
    """Whether a write waits for a call that clears one of its blocks, with nothing behind it on that block."""
    for number, call in enumerate(case.calls):
        if call.op == "write" and number == len(case.calls) - 1:
            blocks = set(call.ids.tolist())
            return any(blocks & set(case.calls[earlier].ids.tolist()) for earlier in call.after)
    return False


def _flying(*texts: str) -> Case:
    """Calls on stream 1, one behind the other."""
    case = table_case(Segment(0, 4, 4, 4), ids="0")
    return replace(case, calls=tuple(Call("zero", Ids.parse(text), stream=1) for text in texts))


_cleared = Call("zero", Ids.parse("0"), stream=1)
_loaded = Call("write", Ids.parse("0"), stream=2, after=(0,))

SPECIMENS = (
    Specimen(
        "one-pinned-buffer", (22,), "vllm#48085", "ids are overwritten by the next call while their copy is pending",
        target("ordering", "one_pinned_buffer"), ("misordered:zero-zero",), asks, _overtaken(1), _flying("1", "2"),
        profiles=("order",), needs_gpu=True, right="masked_grid",
    ),
    Specimen(
        "two-pinned-buffers", (57,), "TensorRT-LLM#15546, #16088", "a ring of buffers is too short",
        target("ordering", "two_pinned_buffers"), ("misordered:zero-zero",), asks, _overtaken(2),
        _flying("1", "2", "3"), profiles=("order",), needs_gpu=True, right="masked_grid",
    ),
    Specimen(
        "unwaited-stream", (25,), "vllm#50696", "a load does not wait for the zeroing that was asked for before it",
        target("ordering", "unwaited_stream"), ("misordered:write-zero",), asks, _wiped,
        replace(table_case(Segment(0, 1, 4, 4)), calls=(_cleared, _loaded)),
        profiles=("order",), needs_gpu=True, right="masked_grid",
    ),
)  # fmt: skip
