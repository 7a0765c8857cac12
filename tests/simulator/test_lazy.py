"""Lazy tensors against written-out ones: the same memory after the same random kernel."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path
from random import Random
from types import ModuleType

import numpy as np
import pytest
import torch

from fuzz.engines.simulator import affine, arithmetic, width
from fuzz.engines.simulator.affine import Affine, Span, written_out

KERNELS = 60
HEAD = "import triton\nimport triton.language as tl\n"
NEXT = (
    "a + p", "a + p * 3", "a - q", "p * 7 - a", "a * 2", "a * -1 + 40", "a + t", "t - a", "(a + n) - n",
    "a + big - big", "a * big", "(a.to(tl.int64) + 5).to(tl.int32)", "a + lane", "tl.where(a > 3, a, 3)",
)  # fmt: skip


def _kernel(random: Random, number: int) -> str:
    """A kernel that computes a place and a mask for each lane and stores a word there."""
    width = random.choice([1, 2, 8, 32])
    wide = random.random() < 0.5
    lines = [
        "@triton.jit",
        f"def k{number}(out, table, n, big):",
        "    p = tl.program_id(0)" + (".to(tl.int64)" if wide else ""),
        "    q = tl.program_id(1)",
        "    t = tl.load(table + q)",
        f"    lane = tl.arange(0, {width})" + (".to(tl.int64)" if wide and random.random() < 0.5 else ""),
        "    a = lane",
    ]
    lines += [f"    a = {random.choice(NEXT)}" for _ in range(random.randint(1, 4))]
    bound = random.choice(["n", "t", "p + 5", "lane * 2", "8", "a"])
    test = random.choice(["<", "<=", ">", ">=", "==", "!="])
    lines.append(f"    m = (a {test} {bound})" + random.choice(["", " & (lane < 5)", " & (q < 2)", " | (lane == 0)"]))
    lines.append("    at = ((a % 4096) + 4096) % 4096" if random.random() < 0.5 else "    at = p * 64 + lane")
    store = f"tl.store(out + at, {random.choice(['0', '5', '(a + 0).to(tl.int32)'])}, mask=m)"
    if random.random() < 0.5:
        lines.append(f"    {store}")
    else:
        lines += _branch(random, store)
    return "\n".join(lines)


def _branch(random: Random, store: str) -> list[str]:
    """The store in a branch that some of the programs take, and what the branch gives stored behind it."""
    behind = [
        "    tl.store(out + 4096 + p * 64 + q * 16, last.to(tl.int32))",
        "    tl.store(out + 6144 + at // 2, 3, mask=m)",
    ]
    return [*(f"    {line}" for line in _parted(random, store)), *behind]


def _parted(random: Random, step: str) -> list[str]:
    """Two ways to go, of which each may be a branch again; both set ``last``, one takes a step.

    The store stands once in a kernel: of two, for programs that share a place, either might be the later.
    """
    one, other = [step, "last = (p * 2 + q).to(tl.int64)"], ["last = tl.sum(a * lane).to(tl.int64) + t"]
    if random.random() < 0.3:
        one = ["at = (at + 3) % 4096", *_parted(random, step), "last = last + 1"]
    if random.random() < 0.2:
        other = _parted(random, "at = (at + 5) % 4096")
    if random.random() < 0.5:
        one, other = other, one
    if random.random() < 0.5:
        one, other = ["at = at * 2 % 4096", *one], [*other, "at = (at + 9) % 4096"]
    test = random.choice(["p > 2", "q == 1", "t < 0", "p % 2 == q % 2", "n > 5", "n < 5"])
    return [f"if {test}:", *(f"    {line}" for line in one), "else:", *(f"    {line}" for line in other)]


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The random kernels, in a file, because Triton reads their source."""
    random = Random(7)  # noqa: S311 - the same kernels every time
    path: Path = tmp_path_factory.mktemp("kernels") / "random_kernels.py"
    path.write_text(HEAD + "\n\n" + "\n\n\n".join(_kernel(random, number) for number in range(KERNELS)) + "\n")
    spec = importlib.util.spec_from_file_location("random_kernels", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize("number", range(KERNELS))
@pytest.mark.filterwarnings("ignore::fuzz.engines.simulator.launcher.RaceWarning")
def test_lazy_and_written_out_agree(module: ModuleType, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Whatever wraps, is masked or varies from program to program, be they one or few at a time or all together."""
    images = []
    for lazily, most in itertools.product((True, False), (width.MOST_ELEMENTS, 8, 1)):
        monkeypatch.setattr(arithmetic, "lazily", lazily)
        monkeypatch.setattr(width, "MOST_ELEMENTS", most)
        out, table = torch.full((8192,), -9, dtype=torch.int32), torch.tensor([3, 2**31 - 5, -4], dtype=torch.int32)
        getattr(module, f"k{number}")[(5, 3)](out, table, 6, 2**30)
        images.append(out.numpy().copy())
    assert all(np.array_equal(images[0], image) for image in images[1:])


def test_the_lazy_half_is_used() -> None:
    """The comparison above compares something: the usual offsets and masks stay lazy."""
    offsets = affine.add(affine.counting(0, 8), np.array([[8], [16]], np.int32))
    assert isinstance(offsets, Affine)
    mask = affine.below("lt", offsets, 20)
    assert isinstance(mask, Span)
    assert written_out(mask).sum(axis=1).tolist() == [8, 4]
    assert written_out(offsets).tolist() == [list(range(8, 16)), list(range(16, 24))]


@pytest.mark.parametrize("predicate", ["lt", "le", "gt", "ge"])
@pytest.mark.parametrize("step", [1, 3, 4])
def test_a_mask_of_every_bound(predicate: str, step: int) -> None:
    """Each bound before, inside and behind the lanes, on either side of the comparison."""
    lanes = affine.multiply(affine.counting(0, 8), step)
    compare = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}[predicate]
    for bound in range(-3, 8 * step + 3):
        for left, right in ((lanes, bound), (bound, lanes)):
            mask = affine.below(predicate, left, right)
            assert isinstance(mask, Span)
            expected = compare(*(written_out(side) for side in (left, right)))
            assert np.array_equal(np.broadcast_to(written_out(mask), (1, 8)), expected)


def test_a_number_that_wraps_has_no_order() -> None:
    """Offsets past 2^31 are held, modulo 2^32, but compared and widened only when written out."""
    near = affine.add(affine.counting(0, 8), 2**31 - 4)
    assert isinstance(near, Affine)
    assert near.extent() is None
    assert affine.below("lt", near, 5) is None
    assert affine.resize(near, 64) is None
    assert written_out(near)[0, 4] == -(2**31)
