"""Two programs that write different values to one byte: legal to run, and never meant."""

from __future__ import annotations

import numpy as np

MOST_WRITES = 2**20
"""Elements of a launch that are compared; of a longer one only the first."""


class Writes:
    """The stores of one launch, element by element."""

    def __init__(self) -> None:
        self._batches: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self._count = 0

    def add(self, addresses: np.ndarray, values: np.ndarray, programs: np.ndarray) -> None:
        """Note elements: address, value and writing program, ``[n]`` each."""
        room = MOST_WRITES - self._count
        if room > 0:
            self._count += min(len(addresses), room)
            self._batches.append((addresses[:room], values[:room], programs[:room]))

    def conflict(self) -> str:
        """The first byte that two programs wrote differently, in words; empty if there is none."""
        if not self._batches:
            return ""
        parts = [_bytes(*batch) for batch in self._batches]
        addresses, values, programs = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort(addresses, kind="stable")
        addresses, values, programs = addresses[order], values[order], programs[order]
        differs = (addresses[1:] == addresses[:-1]) & (values[1:] != values[:-1]) & (programs[1:] != programs[:-1])
        if not differs.any():
            return ""
        at = int(differs.argmax())
        return (
            f"programs {programs[at]} and {programs[at + 1]} write {values[at]} and {values[at + 1]} "
            f"to the byte at 0x{addresses[at]:x}; which one stays is left to chance"
        )


def _bytes(addresses: np.ndarray, values: np.ndarray, programs: np.ndarray) -> tuple[np.ndarray, ...]:
    size = values.dtype.itemsize
    places = (addresses[:, None] + np.arange(size)).ravel()
    return places, np.ascontiguousarray(values).view(np.uint8).ravel(), np.repeat(programs, size)
