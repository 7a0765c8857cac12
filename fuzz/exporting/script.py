"""Writing the script: a head, the target's source, the case, and the tail that compares."""

from __future__ import annotations

import pprint
from importlib.metadata import entry_points
from pathlib import Path

from fuzz import corpus, revisions
from fuzz.built_in import BUILT_IN, GENERATIONS
from fuzz.case import Case
from fuzz.errors import UsageError
from fuzz.exporting.beside import refuse_beside
from fuzz.exporting.bundle import file_of, joined, source_of
from fuzz.layout import total
from fuzz.locators import CLIENTS, GROUP
from fuzz.rules import hostile_rule

TAIL = Path(__file__).with_name("tail.py")
"""The script's end, read as text: importing it would import torch."""

LARGEST = 2**30
"""Most bytes of an arena: the script keeps it several times, and if all are wrong it lists them in eight bytes each."""

CLIENT_SOURCE = "fuzz.adapters.vllm_kernel"
"""The part of the vLLM adapter that stands alone."""

_HEAD = '''"""{title}

{find}. Run it with {packages}: it prints the wrong bytes and exits with 1 if the fault shows.
Written by kvzero; nothing of kvzero is needed.
"""

import os
import sys
import types

import torch

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # read when triton is imported, below
'''

_GENERATION = """
def zeroer(table, device):
    meta = plan(table, device)

    def zero(ids):
        if ids and meta is not None:
            launch(meta, torch.tensor(ids, dtype=torch.int64, device=device))

    return zero
"""


_VLLM = """
print(f"vllm {importlib.import_module('vllm').__version__}: {worker_utils().__file__}")
"""


def script(case: Case, target: str) -> str:
    """The text of a self-contained script that shows a find.

    Args:
        case: the case.
        target: a built-in name, ``path/file.py:name``, ``package.module:name`` or ``git:REV:path/file.py:name``.

    Raises:
        UsageError: if the target's source cannot be found or joined, or no script can show the case yet.
    """
    if case.sequence:
        raise UsageError(
            f"sequence: {len(case.sequence)} cases that show a find together have no script yet; "
            "give the case file instead, to be replayed"
        )
    if case.layers:
        raise UsageError(f"case {case.title!r}: has layers, and only cases with segments can be exported so far")
    if case.overlaps:
        raise UsageError("a case of calls in flight together has no script yet; give its file instead, to be replayed")
    if total(case) > LARGEST:
        raise UsageError(
            f"arena={total(case)}: a script holds at most {LARGEST} bytes, guard zones included; "
            "give the case file instead, to be replayed"
        )
    find = next((bucket.label for bucket in corpus.expected(case) if bucket.target == target), "no find named")
    if find.startswith("recompiled:"):
        raise UsageError(
            f"find={find!r}: a script compares bytes, and they are right here; show it with: kvzero replay"
        )
    title = case.title or f"A case for {target}"
    packages = "torch, triton and vllm" if target in CLIENTS else "torch and triton"
    return "\n\n".join(
        [
            _HEAD.format(title=title, find=f"{target}: {find}", packages=packages),
            _source(target),
            f"KVZERO_CASE = {pprint.pformat(_data(case, find), sort_dicts=False, width=110)}",
            TAIL.read_text().split('"""', 2)[2].strip(),
            f'if __name__ == "__main__":\n    sys.exit(_kvzero_show(KVZERO_CASE, {_name(target)}, SegmentTable))\n',
        ]
    )


def _source(target: str) -> str:
    table = joined("from kvzero.segments import SegmentTable", "the table")
    if target in GENERATIONS:
        text = source_of(f"kvzero.generations.{target}") or ""
        return joined("from kvzero.segments import SegmentTable\n" + text, target) + "\n\n" + _GENERATION
    if target in CLIENTS:
        return f"{table}\n\n{joined(source_of(CLIENT_SOURCE) or '', target)}\n{_VLLM}"
    file, folder, package = _file("fuzz.index_fill:zeroer" if target == "index_fill" else _located(target))
    if file is None:
        raise UsageError(f"target={target!r}: its source was not found, so it cannot be exported")
    source = file.read_text()
    refuse_beside(source, target, folder, package)
    body = joined(source, target)
    return body if "class SegmentTable" in body else f"{table}\n\n{body}"


def _file(locator: str) -> tuple[Path | None, Path, str]:
    """A target's file, the folder where its imports are looked for first, and the top of its package if it has one."""
    if locator.startswith(revisions.PREFIX):
        file = revisions.exported(locator)
        return file, file.parent, ""
    place = locator.rpartition(":")[0]
    if place.endswith(".py"):
        return Path(place), Path(place).resolve().parent, ""
    top, *rest = place.split(".")
    return file_of(place), Path.cwd(), top if rest else ""


def _name(target: str) -> str:
    return "zeroer" if target in BUILT_IN or target in CLIENTS else _located(target).rpartition(":")[2]


def _located(target: str) -> str:
    """Where a target's source is: the locator itself, or what the entry point of that name stands for."""
    return next((point.value for point in entry_points(group=GROUP, name=target)), target)


def _data(case: Case, find: str) -> dict[str, object]:
    calls = [str(call.ids) if call.raw is None else list(call.raw) for call in case.calls]
    return {
        "find": find,
        "guard": case.guard,
        "size": case.end,
        "blocks": case.blocks if case.blocks_known else None,
        "segments": [(s.base, s.stride, s.page, s.blocks, s.times) for s in case.segments],
        "calls": list(zip(calls, _hostile(case), strict=True)),
        "warm": not case.cold and case.whole,
        "needs_gpu": "launch-" in find or "skipped:product" in find,
    }


def _hostile(case: Case) -> list[bool]:
    """Which calls have to be refused: those with hostile ids, or all where sizes break the target's unit."""
    if case.domain != "hostile":
        return [False] * len(case.calls)
    own = [hostile_rule(case, call, 1) is not None for call in case.calls]
    return own if any(own) else [True] * len(own)
