"""A picture of a case's arena: what had to be zero, what is, and where the wrong bytes lie."""

from __future__ import annotations

from fuzz.case import Case, Segment
from fuzz.verdict import Verdict

WIDTH = 64
ROWS = 32
_MARKS = {"clobbered": "X", "wrong": "W", "stale": "S"}
LEGEND = "0 cleared as it had to be   S stale   W written wrong   X clobbered   . left alone   | page ends"


def page_map(case: Case, target: str, verdict: Verdict) -> str:
    """The case in words and a row for each block that is targeted or touched, 64 cells a stride.

    A cell stands for several bytes when a stride is longer; it shows the worst of them.
    """
    lines = [case.title or "untitled case", f"{target}: {verdict.label()}"]
    if verdict.text:
        lines.append(verdict.text)
    lines += [f"launched {launch}" for launch in verdict.launches]
    lines += ["", LEGEND]
    rows = 0
    for number, segment in enumerate(case.segments):
        blocks = _blocks(case, segment, verdict)
        times = f", {segment.times} times" if segment.times > 1 else ""
        lines.append(
            f"segment {number} at {segment.base}: {segment.blocks} blocks of {segment.page} bytes, "
            f"{segment.stride} apart{times}"
        )
        for block in blocks[: max(ROWS - rows, 1)]:
            lines.append(f"  block {block:>6} {_row(case, segment, block, verdict)}")
            rows += 1
        if len(blocks) > ROWS:
            lines.append(f"  and {len(blocks) - ROWS} blocks more")
    lines += [f"bytes {wrong.start} to {wrong.stop}: {wrong.kind}, {wrong.where}" for wrong in verdict.regions[:ROWS]]
    return "\n".join(lines) + "\n"


def _blocks(case: Case, segment: Segment, verdict: Verdict) -> list[int]:
    targeted = {int(block) for call in case.calls for block in call.ids.distinct()}
    touched = {
        min(max((wrong.start - segment.base) // segment.stride, 0), segment.blocks - 1) for wrong in verdict.regions
    }
    return sorted(block for block in targeted | touched if 0 <= block < segment.blocks)


def _row(case: Case, segment: Segment, block: int, verdict: Verdict) -> str:
    start = segment.base + block * segment.stride
    length = max(segment.stride, segment.page)
    cells = min(length, WIDTH)
    targeted = any(
        run.first <= block <= run.last or run.last <= block <= run.first for c in case.calls for run in c.ids.runs
    )
    done = targeted and not verdict.kind.startswith(("faulted", "hung", "rejected"))
    row = []
    for cell in range(cells):
        low = start + cell * length // cells
        high = start + (cell + 1) * length // cells
        marks = {_MARKS[w.kind] for w in verdict.regions if w.start < high and w.stop > low}
        if marks:
            row.append(min(marks, key="XWS".index))
        else:
            row.append("0" if done and low < start + segment.page else ".")
    edge = -(-segment.page * cells // length)
    return "".join(row[:edge]) + "|" + "".join(row[edge:])
