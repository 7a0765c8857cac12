"""What a GPU faults on, refuses or skips, and the interpreter passes: reported in words."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import torch
from triton.compiler.errors import CompilationError

from fuzz.engines.simulator import simulated
from fuzz.engines.simulator.faults import Fault
from tests.simulator import kernels


def _words() -> torch.Tensor:
    return torch.ones(64, dtype=torch.int32)


def _aimed(at: Callable[[torch.Tensor], int]) -> tuple[torch.Tensor, Callable[[], None]]:
    memory = _words()
    address = torch.tensor([at(memory)])

    def launch() -> None:
        kernels.at_address[(3,)](address, WIDTH=4)

    return memory, launch


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (lambda memory: 0, "store of 4 bytes at 0x0, "),
        (lambda memory: -4096, "store of 4 bytes at 0xfffffffffffff000, "),
        (lambda memory: 2**46, f"store of 4 bytes at 0x{2**46:x}, "),
    ],
)
def test_stores_far_out(at: Callable[[torch.Tensor], int], words: str) -> None:
    """Null, negative, terabytes away: a fault that names program, lane and line; the next launch runs."""
    memory, launch = _aimed(at)
    with pytest.raises(Fault, match=words.replace("4 bytes", r"\d+ bytes")) as caught:
        launch()
    assert caught.value.detail == "memory"
    assert re.search(r"by program \(0, 0, 0\), lane 0, at .*kernels\.py:\d+", str(caught.value))
    kernels.one_word[(1,)](memory)
    assert memory[0] == 0


def test_one_word_past_the_end_and_nothing_written() -> None:
    """The lane that leaves the buffer is named, and how far it is outside; the others wrote nothing."""
    source, target = torch.zeros(128, dtype=torch.int32), _words()
    with pytest.raises(Fault, match=r"right past target \[0x.*by program \(2, 0, 0\), lane 0, at"):
        kernels.copy[(3,)](source, target, 70, WIDTH=32)
    assert target.all()


def _ten() -> dict[str, tuple[Callable[[], None], type[BaseException], str]]:
    """Name, launch, error and words of kernels that the interpreter passes."""
    word = _words()
    index = torch.tensor([4, 5, 7, 8], dtype=torch.int32)
    return {
        "a false multiple_of": (
            lambda: kernels.promised[(1,)](word, torch.tensor([3], dtype=torch.int32), WIDTH=4),
            Fault,
            r"false promise multiple_of\(16\): not a multiple: 3, .*kernels\.py:\d+",
        ),
        "a false max_contiguous": (
            lambda: kernels.promised_run[(1,)](word, index, WIDTH=4),
            Fault,
            r"false promise max_contiguous\(4\): numbers do not follow one another: 7",
        ),
        "a false max_constancy": (
            lambda: kernels.promised_same[(1,)](word, index, WIDTH=4),
            Fault,
            r"false promise max_constancy\(4\): numbers change: 5",
        ),
        "a false promise about a branch": (
            lambda: kernels.promised_branch[(1,)](word, 2, WIDTH=4),
            Fault,
            r"false promise multiple_of\(16\): not a multiple: 34",
        ),
        "a false assert": (
            lambda: kernels.asserted[(1,)](torch.tensor([0, 1, -1, 2], dtype=torch.int32), debug=True),
            Fault,
            r"device assert: id %x must be >= 0, by program \(0, 0, 0\), lane 2, at .*kernels\.py:\d+",
        ),
        "a false assume": (lambda: kernels.assumed[(2,)](word, -3), Fault, r"tl\.assume of something false"),
        "65,536 in y": (
            lambda: kernels.one_word[(1, 65_536)](word),
            RuntimeError,
            r"grid \(1, 65536, 1\): y = 65536, the driver takes 1 to 65535",
        ),
        "65,536 in z": (lambda: kernels.one_word[(1, 1, 65_536)](word), RuntimeError, "z = 65536"),
        "2^31 in x": (lambda: kernels.one_word[(2**31,)](word), OverflowError, "x does not fit in a C int"),
        "a method of 1": (lambda: kernels.widened[(1,)](word, 1), CompilationError, "to"),
        "a type that a branch changes": (lambda: kernels.changed_type[(1,)](word, 7), CompilationError, "at"),
        "a word at an odd address": (
            lambda: kernels.misaligned[(1,)](word),
            Fault,
            r"store of 4 bytes at 0x[0-9a-f]+, which is no multiple of 4, by program \(0, 0, 0\)",
        ),
        "a tensor that is no power of two": (lambda: kernels.too_wide[(1,)](word, WIDTH=48), CompilationError, "power"),
    }


@pytest.mark.parametrize("name", _ten())
def test_what_the_interpreter_passes_and_a_gpu_fails(name: str) -> None:
    """Each is reported in words that name the rule."""
    launch, kind, words = _ten()[name]
    with pytest.raises(kind, match=words):
        launch()


def test_a_launch_that_a_gpu_skips_without_a_word_is_skipped() -> None:
    """The product of the grid is 2^31: nothing runs, nothing is raised."""
    word = _words()
    kernels.one_word[(32_768, 65_536, 1)](word)
    assert word.all()
    kernels.one_word[(2, 2, 2)](word)
    assert not word[0]


def test_a_hip_device_counts_work_items() -> None:
    """Under an MI300X's limits 2^24 programs of 256 threads are refused, under an H200's they run."""
    word = _words()
    with simulated("mi300x"), pytest.raises(RuntimeError, match="4294967296 work-items in x, they must stay below"):
        kernels.one_word[(2**24,)](word)
    assert word.all()
