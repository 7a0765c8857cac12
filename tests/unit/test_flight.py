"""The flight slot: what is in it when its writer is gone."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from msgspec.structs import replace

from fuzz import flight
from fuzz.build import build
from fuzz.case import Segment
from fuzz.flight import FlightSlot, InFlight
from fuzz.source import Recorder

CASE = build(Recorder(5), "small")


def test_a_slot_holds_the_case_from_take_off_to_landing(tmp_path: Path) -> None:
    """Read from outside, the case is there while it runs, and its outcome is counted after."""
    path = tmp_path / "1.slot"
    slot = FlightSlot(path)
    running = InFlight(7, "masked_grid", "small", CASE)
    slot.take_off([running], 10.0)
    state = flight.read(path)
    assert (state.running, state.limit, state.overdue) == ((running,), 10.0, False)
    slot.land(["passed"])
    state = flight.read(path)
    assert state.running == ()
    assert state.counts == {"passed": 1, "declined": 0, "unproved": 0, "finding": 0, "infra": 0}


def test_a_case_past_its_limit_is_overdue(tmp_path: Path) -> None:
    """The limit counts from take-off and can be extended."""
    slot = FlightSlot(tmp_path / "1.slot")
    slot.take_off([InFlight(0, "t", "small", CASE)], 0.001)
    time.sleep(0.01)
    assert flight.read(tmp_path / "1.slot").overdue
    slot.extend(60.0)
    assert not flight.read(tmp_path / "1.slot").overdue


def test_a_large_case_makes_the_slot_grow(tmp_path: Path) -> None:
    """A case of 20,000 segments is in the slot whole."""
    many = tuple(Segment(64 * index, 1, 64, 64) for index in range(20_000))
    running = InFlight(0, "t", "small", replace(CASE, segments=many))
    slot = FlightSlot(tmp_path / "1.slot")
    slot.take_off([running], 1.0)
    assert flight.read(tmp_path / "1.slot").running == (running,)


def test_a_slot_of_a_killed_process_is_abandoned(tmp_path: Path) -> None:
    """After kill -9 in mid-case the next start finds the case; a slot that had landed is removed."""
    code = """
import os, signal, sys
from pathlib import Path
from fuzz.build import build
from fuzz.flight import FlightSlot, InFlight
from fuzz.source import Recorder
folder = Path(sys.argv[1])
landed = FlightSlot(folder / "landed.slot")
landed.take_off([InFlight(1, "t", "small", build(Recorder(1), "small"))], 10.0)
landed.land(["passed"])
FlightSlot(folder / "flying.slot").take_off([InFlight(2, "t", "small", build(Recorder(5), "small"))], 10.0)
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    (found,) = flight.abandoned(tmp_path)
    assert found[0].name == "flying.slot"
    assert found[1] == (InFlight(2, "t", "small", CASE),)
    assert not (tmp_path / "landed.slot").exists()


def test_a_living_process_keeps_its_slot(tmp_path: Path) -> None:
    """A case that is in flight right now is nobody else's."""
    slot = FlightSlot(tmp_path / "1.slot")
    slot.take_off([InFlight(0, "t", "small", CASE)], 10.0)
    assert flight.abandoned(tmp_path) == []
    assert (tmp_path / "1.slot").exists()


def test_a_damaged_slot_is_no_case(tmp_path: Path) -> None:
    """Foreign or cut bytes read as nothing."""
    (tmp_path / "1.slot").write_bytes(b"x" * 200)
    (tmp_path / "2.slot").write_bytes(b"x")
    assert flight.read(tmp_path / "1.slot") is None
    assert flight.read(tmp_path / "2.slot") is None
    assert flight.read(tmp_path / "3.slot") is None
    assert flight.abandoned(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_a_sign_of_life_gives_what_is_in_flight_its_time_anew(tmp_path: Path) -> None:
    """The limit counts from then on."""
    slot = FlightSlot(tmp_path / "1.slot")
    slot.take_off([InFlight(0, "t", "small", CASE)], 0.001)
    time.sleep(0.01)
    assert flight.read(tmp_path / "1.slot").overdue
    slot.go_on(60.0)
    state = flight.read(tmp_path / "1.slot")
    assert not state.overdue
    assert time.monotonic() - state.started < 30
