"""What the compilers make of a target's kernels: width of their stores, spills.

Started as ``python -m fuzz.kernel_report TARGET``, because it loads a target and imports torch.
"""

from __future__ import annotations

import sys

from fuzz.case import Call, Case, Segment
from fuzz.errors import KvzeroError
from fuzz.ids import Ids

WORDS = 4096
CASE = Case(
    schema=1,
    domain="contract",
    guard=WORDS,
    segments=(Segment(0, 4, WORDS, WORDS), Segment(4 * WORDS, 4, WORDS // 2, WORDS)),
    calls=(Call("zero", Ids.parse("0,2")),),
    cold=True,
)
"""Two segments whose pages and strides are multiples of everything: the widest stores that there can be."""


def report(locator: str) -> str:
    """A line for each kernel that a call launches and each device.

    Raises:
        UsageError: if the target cannot be loaded.
    """
    from fuzz.arena import arena_of  # noqa: PLC0415 - only this process needs torch
    from fuzz.engines.simulator.compiling import DEVICES, spills  # noqa: PLC0415
    from fuzz.engines.simulator.engine import Simulator  # noqa: PLC0415
    from fuzz.engines.simulator.launcher import DEVICE  # noqa: PLC0415
    from fuzz.loading import load  # noqa: PLC0415
    from fuzz.run import run_case  # noqa: PLC0415

    target = load(locator)
    engine = Simulator(None, also_compiled_for=tuple(DEVICES))
    verdict = run_case(CASE, target, engine, arena_of(engine), patience=60.0, on_launch=_unasked)
    lines = []
    for (kernel, *_), made in DEVICE.compiled.items():
        widths = ", ".join(map(str, made.stores)) or "no"
        lines.append(f"{kernel} for {made.device}: stores of {widths} bytes, {spills(made)}")
    if verdict.outcome != "passed":
        lines.append(f"its call: {verdict.label()}: {verdict.text}")
    return "\n".join(lines) or "no kernel was launched through Triton"


def _unasked(seconds: float) -> None:
    """Nobody waits for this launch."""


if __name__ == "__main__":
    try:
        sys.stdout.write(report(sys.argv[1]) + "\n")
    except KvzeroError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
