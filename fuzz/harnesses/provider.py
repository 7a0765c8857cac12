"""Numbers out of bytes, the way Atheris's ``FuzzedDataProvider`` takes them, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from fuzz.source import Choices, Source


class Provider(Protocol):
    """The part of Atheris's ``FuzzedDataProvider`` that a source needs."""

    def ConsumeIntInRange(self, low: int, high: int, /) -> int:  # noqa: N802 - Atheris's name
        """A number from ``low`` to ``high``, both included."""


Provide = Callable[[bytes], Provider]
"""Makes a provider of some bytes: ``Bytes``, or Atheris's own class."""


class Bytes:
    """Atheris's provider in plain Python, so that a harness runs, and an artifact is read, without it.

    A number takes as many bytes as its range has, from the end of the data backwards; without any left
    it is the lowest of its range. Ranges are up to 2^64 wide.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._left = len(data)

    def ConsumeIntInRange(self, low: int, high: int) -> int:  # noqa: N802 - Atheris's name
        """The number that ``FuzzedDataProvider`` would give."""
        taken = min(_width(low, high), self._left)
        self._left -= taken
        number = int.from_bytes(self._data[self._left : self._left + taken], "little")
        return low + number % (high - low + 1)


class FromBytes:
    """The third kind of source: choices made by a provider's bytes."""

    def __init__(self, provider: Provider) -> None:
        self._take = provider.ConsumeIntInRange

    def integer(self, low: int, high: int) -> int:
        """The provider's next number."""
        return low if low == high else self._take(low, high)

    repeat = integer


class _Noted:
    """A source that gives recorded choices and writes down the bytes that would make them."""

    def __init__(self, choices: Sequence[int]) -> None:
        self._draw = Choices(choices).integer
        self.backwards = bytearray()

    def integer(self, low: int, high: int) -> int:
        """The next recorded choice."""
        value = self._draw(low, high)
        if low != high:
            self.backwards += (value - low).to_bytes(_width(low, high), "big")
        return value

    repeat = integer


def written(draw: Callable[[Source], object], choices: Sequence[int]) -> bytes:
    """Bytes from which ``draw`` draws these choices.

    Raises:
        ValueError: if the choices are not those of ``draw``.
    """
    noted = _Noted(choices)
    draw(noted)
    return bytes(reversed(noted.backwards))


def _width(low: int, high: int) -> int:
    """Bytes that a number of this range takes."""
    return ((high - low).bit_length() + 7) // 8
