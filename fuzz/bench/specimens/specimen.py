"""A specimen: one historical fault as a target, and what its cases must show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from fuzz.case import Case

Predicate = Callable[[Case], bool]


@dataclass(frozen=True)
class Specimen:
    """A fault that shipped somewhere, re-created.

    Attributes:
        name: how rows and users name it.
        rows: numbers of the historical faults that it stands for; ``HISTORY`` tells them.
        ref: where the fault was reported.
        what: the fault in a sentence.
        target: locator of the faulty code.
        buckets: labels of its finds, the first of them that of the smallest case.
        reached: whether the faulty code runs at all in a case.
        triggered: whether an image, a launch or a constructor must go wrong in it. Computed from the case alone, by
            arithmetic of its own, so that it can be held against what was detected.
        smallest: a case that shows it.
        profiles: shapes of cases that a search for it draws; none for the usual ones.
        takes: what the target is made of.
        device_profile: whose launch limits it meets.
        needs_gpu: whether only a GPU can show it.
        right: a target that passes the smallest case.
    """

    name: str
    rows: tuple[int, ...]
    ref: str
    what: str
    target: str
    buckets: tuple[str, ...]
    reached: Predicate
    triggered: Predicate
    smallest: Case
    profiles: tuple[str, ...] = ()
    takes: Literal["table", "layout"] = "table"
    device_profile: str = "h200"
    needs_gpu: bool = False
    right: str = "chunk_list"


def target(module: str, name: str) -> str:
    """The locator of a function in one of the modules of specimens."""
    return f"fuzz.bench.specimens.targets.{module}:{name}"


def asks(case: Case) -> bool:
    """Whether any call names a block, so that a kernel is launched."""
    return any(call.ids or call.raw for call in case.calls)


def always(case: Case) -> bool:  # noqa: ARG001 - a predicate
    """Whatever the case: the constructor runs."""
    return True
