"""Kernels compiled whole for devices that are not there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from fuzz.engines.simulator.compiling import DEVICES, spills
from fuzz.engines.simulator.faults import CompileRejected
from fuzz.engines.simulator.launcher import DEVICE
from tests.simulator import kernels


@pytest.fixture(autouse=True)
def compiling() -> Iterator[None]:
    """Every kernel is compiled for all devices, then none is."""
    DEVICE.compiles_for = tuple(DEVICES)
    yield
    DEVICE.compiles_for = ()
    DEVICE.compiled.clear()


def test_store_width_and_spills() -> None:
    """A contiguous copy of aligned words is stored 16 bytes at a time."""
    kernels.copy[(1,)](torch.ones(512, dtype=torch.int32), torch.zeros(512, dtype=torch.int32), 512, WIDTH=512)
    made = {compiled.device: compiled for (kernel, *_), compiled in DEVICE.compiled.items() if kernel == "copy"}
    assert set(made) == {"cuda:90", "hip:gfx942"}
    assert made["cuda:90"].stores == (16,)
    assert made["hip:gfx942"].stores[0] in (4, 8, 16)
    assert [spills(compiled) for compiled in made.values()] == ["0 bytes spilled", "0 registers spilled"]


def test_what_only_the_assembler_refuses() -> None:
    """An instruction that does not exist passes TTIR and fails the device's compile."""
    with pytest.raises(CompileRejected, match="cuda:90"):
        kernels.no_such_instruction[(1,)](torch.zeros(4, dtype=torch.int32))
