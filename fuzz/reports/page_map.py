"""A picture of a case's arena: what had to be zero, what is, and where the wrong bytes lie."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fuzz.case import Case, Segment
from fuzz.layout import effects_of, lead
from fuzz.overlap_rules import steps
from fuzz.reports import words
from fuzz.verdict import Verdict
from oracles import ordering

WIDTH = 64
ROWS = 32
LEGEND = "0 zero as it had to be   S stale   W written wrong   X clobbered   . left alone   ? not read   | page ends"
WRITTEN = "w written by somebody else, as it had to be; calls count from 0"
"""Said of calls in flight together."""

Expectation = Callable[[int, int], str]
"""The mark of the bytes from one place to another that are as they have to be."""

_MARKS = {"clobbered": "X", "wrong": "W", "stale": "S"}
_WORST_FIRST = "XWS"


def page_map(case: Case, target: str, verdict: Verdict) -> str:
    """The case in words and a row for each block that is targeted or touched, 64 cells a stride.

    A cell stands for several bytes where a stride is longer; it shows the worst of them. What the
    verdict does not tell, because nothing was read back or too much was wrong, is a question mark. Of a
    sequence the case that shows the find is drawn.
    """
    lines = [case.title or "untitled case", f"{target}: {verdict.label()}"]
    if verdict.text:
        lines.append(verdict.text)
    lines += [f"launched {launch}" for launch in verdict.launches]
    lines += _of_sequence(case, verdict) if case.sequence else _picture(case, verdict)
    return "\n".join(lines) + "\n"


def _of_sequence(case: Case, verdict: Verdict) -> list[str]:
    """The picture of the case of a sequence that the verdict is about, or all of them in words."""
    lines = words.of_case(case)
    if verdict.member is None:
        known = verdict.outcome == "passed"
        return [*lines, *([] if known else ["which of them it was, is not known: the worker ended"])]
    return [lines[0], f"below: sequence[{verdict.member}]", *_picture(case.sequence[verdict.member], verdict)]


def _picture(case: Case, verdict: Verdict) -> list[str]:
    lines = ["", LEGEND, *([WRITTEN] if case.overlaps else [])]
    shown = 0
    expected = _expectation(case)
    lines += words.of_cache(case) if case.layers else []
    for segment in _tiles(case) or case.segments:
        lines.append(f"tiles from {segment.base} on" if case.layers else words.of_segment(segment))
        blocks = _blocks(case, segment, verdict)
        room = blocks[: max(ROWS - shown, 1)]
        lines += [f"  block {block:>6} {_row(segment, block, verdict, expected)}" for block in room]
        shown += len(room)
        if len(room) < len(blocks):
            lines.append(f"  and {len(blocks) - len(room)} blocks more")
    lines += [words.of_call(call) for call in case.calls]
    lines += [words.of_region(wrong) for wrong in verdict.regions[:ROWS]]
    if len(verdict.regions) > ROWS:
        lines.append(f"and more, {verdict.wrong_bytes} bytes in all")
    return lines


def _tiles(case: Case) -> list[Segment]:
    """What a block owns of each pool of a layout, as segments whose pages fill their stride."""
    tiles = dict.fromkeys(tile for place in case.placed.places for tile in place.tiles)
    return [Segment(start, case.num_blocks, stride, stride) for start, stride in tiles]


def _blocks(case: Case, segment: Segment, verdict: Verdict) -> list[int]:
    targeted = {int(block) for call in case.calls for block in call.ids.distinct()}
    touched = {(wrong.start - segment.base) // segment.stride for wrong in verdict.regions}
    return sorted(block for block in targeted | touched if 0 <= block < segment.blocks)


def _row(segment: Segment, block: int, verdict: Verdict, expected: Expectation) -> str:
    start = segment.base + block * segment.stride
    length = max(segment.stride, segment.page)
    cells = min(length, WIDTH)
    row = ""
    for cell in range(cells):
        low = start + cell * length // cells
        high = start + (cell + 1) * length // cells
        row += _mark(low, high, verdict) or expected(low, high)
    edge = segment.page * cells // length
    return f"{row[:edge]}|{row[edge:]}"


def _mark(low: int, high: int, verdict: Verdict) -> str:
    """The worst that is known of some bytes; empty if they are as they have to be."""
    marks = {_MARKS[wrong.kind] for wrong in verdict.regions if wrong.start < high and wrong.stop > low}
    if marks:
        return min(marks, key=_WORST_FIRST.index)
    read = verdict.outcome == "passed" or verdict.kind in ("skipped", "misordered", "clobbered", "wrong", "stale")
    known = sum(wrong.stop - wrong.start for wrong in verdict.regions) == verdict.wrong_bytes
    past = not known and low >= verdict.regions[-1].stop
    return "" if read and not past else "?"


def _expectation(case: Case) -> Expectation:
    """What bytes show that are as they have to be: worked out once, asked for each cell."""
    if case.domain != "contract":
        return lambda low, high: "."  # noqa: ARG005
    if case.layers:
        ids = np.unique(np.concatenate([call.ids.distinct() for call in case.calls]))
        must = effects_of(case, ids).must - lead(case)

        def of_layers(low: int, high: int) -> str:
            at = int(np.searchsorted(must[:, 1], low, side="right"))
            return "0" if at < len(must) and int(must[at, 0]) < high else "."

        return of_layers
    owners = ordering.owners(steps(case.calls)) if case.overlaps else {}

    def of_segments(low: int, high: int) -> str:
        if not _targeted(case, low, high):
            return "."
        if not case.overlaps:
            return "0"
        block = next(
            block for s in case.segments for block in owners
            if s.base + block * s.stride < high and s.base + block * s.stride + s.page > low
        )  # fmt: skip
        return "0" if case.calls[owners[block]].op == "zero" else "w"

    return of_segments


def _targeted(case: Case, low: int, high: int) -> bool:
    """Whether some of the bytes belong to a page that a call names."""
    for segment in case.segments:
        first = max((low - segment.base - segment.page) // segment.stride, 0)
        last = min((high - 1 - segment.base) // segment.stride, segment.blocks - 1)
        for block in range(first, last + 1):
            start = segment.base + block * segment.stride
            inside = start < high and start + segment.page > low
            if inside and any(
                min(run.first, run.last) <= block <= max(run.first, run.last)
                for call in case.calls
                for run in call.ids.runs
            ):
                return True
    return False
