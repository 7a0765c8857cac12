"""One case on one target, judged: targets in plain Python on a CPU arena, no kernel at all."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import pytest
import torch

from fuzz.arena import arena_of, poison
from fuzz.case import Call, Case, Segment
from fuzz.engines import Patience
from fuzz.engines.launch_hook import Launch
from fuzz.given import given_of
from fuzz.ids import Ids
from fuzz.observation import Observation
from fuzz.run import Run, run_case
from fuzz.target import Target
from kvzero import Limits


class FakeEngine:
    """A CPU without launches."""

    name = "fake"
    device = torch.device("cpu")
    device_profile = "h200"
    largest_arena = 2**27
    patience = Patience(1.0, 1.0)

    survives_faults = False
    batches = False
    keeps_stores = False

    def know(self, start: int, size: int) -> None:
        pass

    def settle(self) -> None:
        pass

    def fault(self, volume: int = 0) -> None:
        return None


FOUR = Segment(0, 4, 8, 16)
NONE = Limits()
ARENA = arena_of(FakeEngine())


def clear(table: Any, ids: list[int]) -> None:
    """What a right target does."""
    for base, stride, page in zip(table.base.tolist(), table.stride.tolist(), table.page.tolist(), strict=True):
        for block in ids:
            ctypes.memset(base + block * stride, 0, page)


def _case(*calls: Call | str, domain: str = "contract", segment: Segment = FOUR, **more: Any) -> Case:
    made = tuple(Call("zero", Ids.parse(call)) if isinstance(call, str) else call for call in calls)
    return Case(schema=1, domain=domain, guard=64, segments=(segment,), calls=made, **more)


def _label(case: Case, zero: Callable[[Any, list], None], limits: Limits = NONE) -> str:
    target = Target("t", lambda table, device: lambda ids: zero(table, ids), limits)
    verdict = run_case(case, target, FakeEngine(), ARENA, patience=1.0, on_launch=lambda seconds: None)
    return verdict.label()


def test_a_right_target_passes() -> None:
    """One call, several, with repeats, and with none."""
    for calls in (["1"], ["0", "1", "0"], ["3-0,2*5"], [""], ["", "2"]):
        assert _label(_case(*calls), clear) == "passed"


def test_each_call_is_judged_alone() -> None:
    """Clearing an earlier call's block again is damage; so is leaving it to a later call."""
    seen: list[int] = []

    def again(table: Any, ids: list[int]) -> None:
        seen.extend(ids)
        clear(table, seen)

    def late(table: Any, ids: list[int]) -> None:
        clear(table, waiting)
        waiting[:] = ids

    waiting: list[int] = []
    assert _label(_case("0", "1"), again) == "clobbered:other block"
    assert _label(_case("0", "1"), late) == "skipped:none"


@pytest.mark.parametrize(
    ("zero", "label"),
    [
        (lambda table, ids: (clear(table, ids), ids.clear()), "clobbered:ids"),
        (lambda table, ids: (clear(table, ids), ids.__setitem__(0, float(ids[0]))), "clobbered:ids"),
        (lambda table, ids: (clear(table, ids), table.page.__iadd__(4)), "clobbered:table"),
        (lambda table, ids: (clear(table, ids), table.on("cpu").stride.add_(1)), "clobbered:table"),
        (lambda table, ids: ctypes.memset(int(table.base[0]) + 16, 7, 8), "wrong:whole page"),
        (lambda table, ids: ctypes.memset(int(table.base[0]) + 17, 0, 7), "stale:head"),
        (lambda table, ids: ctypes.memset(int(table.base[0]) + 16, 0, 16), "clobbered:padding"),
        (lambda table, ids: (clear(table, ids), ctypes.memset(int(table.base[0]) - 9, 0, 1)), "clobbered:guard"),
        (lambda table, ids: (clear(table, ids), ctypes.memset(int(table.base[0]) + 127, 0, 1)), "clobbered:guard"),
        (lambda table, ids: None, "skipped:none"),
    ],
)
def test_damage_has_its_words(zero: Callable, label: str) -> None:
    """A planted fault of each kind."""
    assert _label(_case("1"), zero) == label


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), SystemExit(3), RuntimeError("\ud800" * 5000)])
def test_whatever_a_target_raises_is_a_verdict(error: BaseException) -> None:
    """Exceptions of any kind and text, at a call and in the constructor."""

    def raising(*_: Any) -> None:
        raise error

    assert _label(_case("1"), raising) == f"rejected:other-{type(error).__name__}"
    target = Target("t", raising, Limits())
    verdict = run_case(_case("1"), target, FakeEngine(), ARENA, patience=1.0, on_launch=lambda seconds: None)
    assert verdict.label() == "rejected:constructor"
    assert len(verdict.text) < 2100


def _refusing(table: Any, ids: list) -> None:
    if any(type(block) is not int or not 0 <= block < 4 for block in ids):
        raise ValueError("ids")
    clear(table, ids)


HOSTILE = [
    ("-1", "negative-id"),
    ("4", "id-past-blocks"),
    (Call("zero", raw=(0.5,)), "float-id"),
    (Call("zero", raw=(True,)), "bool-id"),
    (Call("zero", raw=(None,)), "none-id"),
    (Call("zero", raw=(2**63,)), "huge-id"),
    (Call("zero", raw=(-1,)), "negative-id"),
]


@pytest.mark.parametrize(("call", "rule"), HOSTILE)
def test_hostile_input_must_be_refused(call: Call | str, rule: str) -> None:
    """Taken, it is accepted under its rule; refused, the case passes, legal calls before it included."""
    case = _case("0", call, domain="hostile")
    assert _label(case, _refusing) == "passed"
    assert _label(case, lambda table, ids: clear(table, [b for b in ids if b in (0, 1)])) == f"accepted:{rule}"


def test_a_refusal_must_come_before_a_byte_changes() -> None:
    """Clearing first and raising then is damage, and so is emptying the list."""

    def too_late(table: Any, ids: list) -> None:
        clear(table, [block for block in ids if block >= 0])
        _refusing(table, ids)

    def greedy(table: Any, ids: list) -> None:
        try:
            _refusing(table, ids)
        except ValueError:
            ids.clear()
            raise

    case = _case("1,-1", domain="hostile")
    assert _label(case, too_late) == "clobbered:other block"
    assert _label(case, greedy) == "clobbered:ids"


def test_what_is_not_hostile_to_a_target_is_declined() -> None:
    """A table that does not tell its blocks cannot forbid the one past the last; unit 1 has no odd sizes."""
    assert _label(_case("4", domain="hostile", blocks_known=False), _refusing) == "declined"
    odd = _case("1", domain="hostile", segment=Segment(0, 4, 8, 18))
    assert _label(odd, clear) == "accepted:unit"
    assert _label(odd, clear, Limits(unit=1)) == "declined"


@pytest.mark.parametrize(
    "limits", [Limits(unit=32), Limits(ids=1), Limits(page=7), Limits(segments=1), Limits(uniform=True)]
)
def test_limits_decline(limits: Limits) -> None:
    """Each limit, one case beyond it, and one within."""
    many = Case(
        schema=1,
        domain="contract",
        guard=64,
        segments=(Segment(0, 4, 8, 16), Segment(64, 4, 8, 8)),
        calls=(Call("zero", Ids.parse("0,1")),),
    )
    assert _label(many, clear, limits) == "declined"
    assert _label(many, clear) == "passed"


def test_an_arena_that_does_not_fit_is_unproved() -> None:
    """The engine says how much it holds."""
    assert _label(_case("0", segment=Segment(0, 1, 2**28, 2**28)), clear) == "unproved"


def test_a_call_that_looks_idle_is_still_read_to_the_last_byte() -> None:
    """A refused one may have written before, and so may one that launched nothing, wherever it is."""

    def raising(table: Any, ids: list) -> None:
        ctypes.memset(int(table.base[0]) - 1, 0, 1)
        raise ValueError("no")

    target = Target("t", lambda table, device: lambda ids: raising(table, ids), NONE)
    verdict = run_case(_case("1"), target, FakeEngine(), ARENA, patience=1.0, on_launch=lambda seconds: None)
    assert (verdict.label(), verdict.wrong_bytes) == ("rejected:other-ValueError", 1)
    assert _label(_case("1"), lambda table, ids: ctypes.memset(int(table.base[0]) + 16, 0, 1)) == "stale:tail"


def test_a_skipped_launch_over_a_slice_boundary_is_still_skipped() -> None:
    """A page of 32 MiB that nobody touched is one stale region."""
    assert _label(_case("0", segment=Segment(0, 1, 2**25, 2**25)), lambda table, ids: None) == "skipped:none"


def test_a_store_from_afar_does_not_spoil_later_cases() -> None:
    """The poison is as it was after it was renewed, whatever was written over it."""
    arena = arena_of(FakeEngine())
    arena.fit(_case("1"))
    arena._poison[:64] = 7
    arena.renew()
    arena.lay()
    assert arena.read().after.tolist() == poison(len(arena.read().after)).tolist()


def test_a_launch_of_the_constructor_is_not_charged_with_what_calls_will_clear() -> None:
    """A warm-up clears one block at the most; a case of terabytes is no reason to call it slow."""
    charged: list[int] = []

    class Counting(FakeEngine):
        def seconds(self, launch: Launch, volume: int) -> float:
            charged.append(volume)
            return 0.0

        def admit(self, launch: Launch, ruling: object) -> tuple[int, ...]:
            return launch.grid

    case = _case("0*1000", "0-3")
    target = Target("t", lambda table, device: lambda ids: None, NONE)
    run = Run(
        case, target, Counting(), ARENA, given_of(case, ARENA), 1.0, rehearse=False, on_launch=lambda seconds: None
    )
    for constructed in (False, True):
        run.decide(Launch("k", (1, 1, 1), 4, ()), Observation(constructed))
    assert charged == [8, 1004 * 8]
    seen = Observation()
    for constructed in (False, True, True):
        seen.constructed = constructed
        run.decide(Launch("k", (1, 1, 1), 4, ()), seen)
    assert charged[2:] == [8, 1003 * 8, 0]  # a call that is split clears no more than one that is not
