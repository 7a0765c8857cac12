"""What the simulator reports instead of going on: a fault of the kernel, a hang, an unknown operation."""

from __future__ import annotations

from typing import Literal

from fuzz.engines import Unproved


class Unsupported(Unproved):
    """The kernel uses an operation that the simulator does not know; nothing is said about the kernel."""


class Fault(RuntimeError):  # noqa: N818 - the field's word
    """A device fault: what a GPU would end the context for, or leave undefined.

    Attributes:
        detail: ``memory``, ``misaligned`` or ``assert``.
        words: what happened, without place.
        element: which element of the operation's tensor it was, counted over programs, or None.
        place: program and lane, known further up.
        line: ``file:line`` of the kernel's source, known further up.
    """

    def __init__(
        self, detail: Literal["memory", "misaligned", "assert"], words: str, element: int | None = None
    ) -> None:
        super().__init__(detail, words, element)
        self.detail = detail
        self.words = words
        self.element = element
        self.place = ""
        self.line = ""

    def __str__(self) -> str:
        return f"{self.words}{self.place}" + (f", at {self.line}" if self.line else "")


class Hang(RuntimeError):  # noqa: N818 - the field's word
    """A loop was given up.

    Args:
        rounds: that it had gone through.
    """

    def __init__(self, rounds: int) -> None:
        super().__init__(f"loops went through {rounds} rounds without an end")
        self.rounds = rounds


class CompileRejected(RuntimeError):  # noqa: N818 - what happened
    """A device's compiler refuses the kernel, though it got as far as TTIR."""


class TooWide(Exception):  # noqa: N818 - an answer, not a failure
    """An operation on all programs at once would take too much memory; ask again for fewer programs."""
