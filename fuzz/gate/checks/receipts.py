"""Whether a GPU said yes to the very same: a receipt stands for what a machine without one leaves unproved."""

from __future__ import annotations

from pathlib import Path

from fuzz.gate.asked import Asked
from fuzz.gate.ground import Ground
from fuzz.gate.receipt import Receipt, refused
from fuzz.gate.results import Check

NAME = "receipt"


class ReceiptCheck:
    """Holds a receipt against what this gate is asked.

    Args:
        path: where it was read.
        receipt: as it was read.
        asked: of this gate, beside the receipt's.
    """

    name = NAME

    def __init__(self, path: Path, receipt: Receipt, asked: Asked) -> None:
        self._path = path
        self._receipt = receipt
        self._asked = asked

    def __call__(self, ground: Ground) -> Check:
        """Nothing is run."""
        receipt = self._receipt
        reason = refused(receipt, self._asked, ground.opened.device_profile, ground.waivers)
        if reason:
            return Check(self.name, "failed", f"receipt {self._path} {reason}; run the gate on a GPU again")
        made, packages = f"{receipt.made:%Y-%m-%d}", receipt.machine
        versions = f"torch {packages.get('torch')} and triton {packages.get('triton')}"
        return Check(self.name, "passed", f"{receipt.device} said yes to the same content on {made}, with {versions}")
