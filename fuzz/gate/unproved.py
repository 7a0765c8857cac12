"""What a yes leaves unproved: an honest gate says it beside its verdict."""

from __future__ import annotations

from fuzz.gate.checks.receipts import NAME as RECEIPT
from fuzz.gate.results import GateReport


def unproved(engine: str, report: GateReport) -> list[str]:
    """In sentences, by the engine and by what it could not hold."""
    words = []
    if engine != "cuda" and any(check.name == RECEIPT and check.state == "passed" for check in report.checks):
        words.append("no GPU here: the receipt stands for one, and whoever wrote it is believed")
    elif engine != "cuda":
        words += [
            f"no GPU: {engine} ran the compiler's own intermediate code, or its interpreter, and no machine code",
            "no GPU: calls in flight together (misordered) and how long launches take were not tried",
        ]
    count = sum(check.counts.get("unproved", 0) for check in report.checks)
    if count:
        words.append(f"{count} cases are more than {engine} holds{'' if engine == 'cuda' else '; a GPU can'}")
    return words
