"""What calls in flight together left behind, held against their order; which two are to blame.

Each write fills its pages with a pattern of its own, so that a byte tells whose it is: zero, the
pattern of one write, or still the poison.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fuzz.case import Call, Case
from fuzz.images import HeldImage
from fuzz.layout import lead, segments_of
from fuzz.overlap_rules import steps
from fuzz.triage import SHOWN, bytes_in
from fuzz.verdict import Verdict, Wrong
from oracles import ordering, pages

NOBODY = "none"
UNKNOWN = "unknown"
"""Bytes that no call of the case leaves."""


def places(case: Case, blocks: list[int]) -> np.ndarray:
    """Every byte of these blocks' pages, as places in the image, int64 ``[n]``."""
    ids = np.array(blocks, np.int64)[:, None]
    ahead = lead(case)
    columns = [(ahead + s.base + ids * s.stride + np.arange(s.page)).ravel() for s in case.segments]
    return np.concatenate(columns)


def pattern(poison: np.ndarray, index: int) -> np.ndarray:
    """What call ``index`` writes over this poison.

    It is never zero, and differs in every byte from the poison and from what other calls write there,
    as long as there are no more than 254 of them.
    """
    return ((poison.astype(np.uint16) + index) % 255 + 1).astype(np.uint8)


@dataclass(frozen=True)
class Judge:
    """Knows what must stand in an image in the end.

    Attributes:
        case: a case of overlapping calls.
        image: what they left.
    """

    case: Case
    image: HeldImage

    def verdict(self) -> Verdict | None:
        """The finding ``misordered`` with its pair of calls; None if every byte is right."""
        wrong = self._wrong()
        if not wrong:
            return None
        ahead = lead(self.case)
        owner, shown = self._pair(wrong[0].start)
        count = bytes_in(wrong)
        return Verdict(
            "finding",
            "misordered",
            f"{owner}-{shown}",
            text=f"right alone, wrong when calls overlap: {self._words(wrong[0].start)}, and {count} bytes are wrong",
            regions=tuple(
                Wrong(r.start - ahead, r.stop - ahead, r.kind, "-".join(self._pair(r.start))) for r in wrong[:SHOWN]
            ),
            wrong_bytes=count,
        )

    def _wrong(self) -> list[pages.Region]:
        """Wrong regions: bytes of a write that are not its pattern count as clobbered."""
        owners = self._owners
        before = self.image.before.copy()
        for index, call in enumerate(self.case.calls):
            if call.op == "write":
                own = places(self.case, [block for block, owner in owners.items() if owner == index])
                before[own] = pattern(before[own], index)
        cleared = [block for block, owner in owners.items() if self.case.calls[owner].op == "zero"]
        effects = pages.effects(segments_of(self.case), np.array(sorted(cleared), np.int64))
        return pages.compare(before, self.image.after, effects)

    @cached_property
    def _owners(self) -> dict[int, int]:
        return ordering.owners(steps(self.case.calls))

    def _owner(self, place: int) -> tuple[int | None, int | None]:
        """The block that a byte belongs to, and the call that it must show; of a block that some call names."""
        owners = self._owners
        offset = place - lead(self.case)
        for segment in self.case.segments:
            block, within = divmod(offset - segment.base, segment.stride)
            if block in owners and within < segment.page:
                return block, owners[block]
        return None, None

    def _pair(self, place: int) -> tuple[str, str]:
        """The ops of the call that a byte must show and of the one that it shows.

        A byte that is as before shows the absence of its own: its pages were not cleared because other
        ones were, so it stands for both.
        """
        _, owner = self._owner(place)
        own = NOBODY if owner is None else self.case.calls[owner].op
        value, poison = int(self.image.after[place]), self.image.before[place : place + 1]
        if value == 0:
            return own, "zero"
        if value == int(poison[0]):
            return own, own
        writes = [index for index, call in enumerate(self.case.calls) if call.op == "write"]
        return own, "write" if any(value == int(pattern(poison, index)[0]) for index in writes) else UNKNOWN

    def _words(self, place: int) -> str:
        block, owner = self._owner(place)
        if owner is None:
            return f"byte {place - lead(self.case)}, which no call names, was changed"
        what = {
            "zero": "was cleared",
            "write": "holds what was written by another",
            UNKNOWN: "holds bytes of no call",
        }
        value = int(self.image.after[place])
        left = "is as before" if value == int(self.image.before[place]) else what[self._pair(place)[1]]
        return f"block {block}, which belongs to call {owner} ({self.case.calls[owner].op}), {left}"


def decoy(case: Case, call: Call) -> list[int]:
    """As many ids as a call has, and other ones if there are other blocks."""
    return [(block + 1) % case.blocks for block in call.ids.tolist()]
