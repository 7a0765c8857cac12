"""chunk_list without running it: how pages are cut, how wide its stores are, what its grids are, which ids it takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

from fuzz.engines.simulator.compiling import DEVICES, compiled
from kvzero import SegmentTable, zeroer
from kvzero.chunks import LINE, cut
from kvzero.generations import chunk_list
from kvzero.zeroer import KVBlockZeroer
from oracles.launches import PROFILES, judge

CHUNK = chunk_list.CHUNK
MOST = chunk_list.MOST_PROGRAMS
MANY = chunk_list.MANY_PROGRAMS


class FakeKernel:
    """Records grids instead of launching."""

    def __init__(self) -> None:
        self.grids: list[tuple[int, ...]] = []

    def __getitem__(self, grid: tuple[int, ...]) -> Any:
        return lambda *args, **kwargs: self.grids.append(grid)


def _table(*rows: tuple[int, int, int], blocks: int | None = 4) -> SegmentTable:
    """A table of (base, stride, page) in bytes."""
    columns = np.array(rows, np.int64).reshape(-1, 3).T.copy()
    return SegmentTable(columns[0], columns[1], columns[2], blocks)


def _cut(*rows: tuple[int, int, int], widest: int = CHUNK, most: int = MOST) -> list[tuple[int, ...]]:
    return [tuple(row) for row in cut(_table(*rows), widest, most).tolist()]


@pytest.mark.parametrize("page", [1, 127, 128, 129, CHUNK, CHUNK + 1, 37_376, 257 * CHUNK + 1, 1000 * CHUNK + 3])
def test_chunks_make_up_the_page(page: int) -> None:
    """One behind the other without a gap, all but the last equally long and whole lines, none empty or too wide."""
    chunks = _cut((5, 2 * page, page))
    lengths = [length for _, _, length in chunks]
    assert [addr for addr, _, _ in chunks] == [5 + sum(lengths[:index]) for index in range(len(chunks))]
    assert {stride for _, stride, _ in chunks} == {2 * page}
    assert sum(lengths) == page
    assert 1 <= lengths[-1] <= lengths[0] <= CHUNK
    assert len(set(lengths[:-1])) <= 1
    assert all(length % LINE == 0 for length in lengths[:-1])


def test_chunks_of_a_page_are_nearly_equal() -> None:
    """A page one byte wider than a chunk is halved, not cut into a chunk and a byte."""
    assert _cut((0, 40_000, CHUNK + 1)) == [
        (0, 40_000, CHUNK // 2 + LINE),
        (CHUNK // 2 + LINE, 40_000, CHUNK // 2 - 127),
    ]


def test_dsv4_is_a_list_of_work_alone() -> None:
    """181 segments of 9,344 and 292 elements by turns: three chunks or one each, where masked_grid has ten each."""
    pages = [9344 * 4 if index % 2 == 0 else 292 * 4 for index in range(181)]
    assert len(_cut(*((index << 30, page, page) for index, page in enumerate(pages)))) == 91 * 3 + 90


def test_the_widest_page_at_an_address_counts() -> None:
    """Equal segments are cleared once; others at the same address stay if their strides differ."""
    assert _cut((8, 64, 4), (0, 64, 8), (8, 64, 12), (8, 64, 8), (8, 64, 12), (8, 64, 4), (8, 32, 4)) == [
        (0, 64, 8),
        (8, 32, 4),
        (8, 64, 12),
    ]


@pytest.mark.parametrize("widest", [1, 200, 2 * LINE + 1])
def test_a_widest_chunk_of_no_whole_lines(widest: int) -> None:
    """It is rounded up, and no page of any size gets an empty chunk."""
    for page in range(1, 300 * LINE, 61):
        lengths = [length for _, _, length in _cut((0, page, page), widest=widest)]
        assert sum(lengths) == page
        assert 1 <= min(lengths) <= max(lengths) < widest + LINE


@pytest.mark.parametrize("page", [2**31 + 15, 2**31 - 2**15 + 1, 3 * 2**33 + 128, 2**40 - 1])
def test_a_wide_page_is_one_chunk_more_at_most(page: int) -> None:
    """Also where the width that is aimed at is whole lines and a fraction of a byte."""
    assert len(cut(_table((0, page, page)), CHUNK, MOST)) <= MOST + 1


@pytest.mark.parametrize("page", [2**33 + 1, 2**46])
def test_a_page_of_gigabytes_is_a_short_list(page: int) -> None:
    """Chunks grow instead of becoming more, also where all pages together pass 2^63."""
    rows = [(index, 2**46, page) for index in range(2**18 if page == 2**46 else 3)]
    chunks = cut(_table(*rows), CHUNK, MOST)
    assert len(chunks) <= MOST + len(rows)
    assert chunks[:, 2].min() > 0
    assert sum(chunks[:, 2].tolist()) == page * len(rows)


@pytest.mark.parametrize("chunks", [1, 2, 181, 32_768, 65_535, 65_536, 2**31, 2**33])
@pytest.mark.parametrize("ids", [1, 2, 3, 65_535, 65_536, 2**31, 2**33])
@pytest.mark.parametrize(("profile", "most"), [*((name, MOST) for name in PROFILES), ("h200", MANY), ("mi300x", MANY)])
def test_every_device_takes_every_grid(profile: str, most: int, chunks: int, ids: int) -> None:
    """No count of chunks or ids passes a limit of a device that is given so many, the product in 32 bits included."""
    across, down = chunk_list.grid(chunks, ids, most)
    assert judge((across, down), 8, profile).outcome == "runs"
    assert across <= ids
    assert down <= chunks
    assert across * down == min(chunks * ids, ids * MOST, down * (most // down))


def _compiled(kernel: Any, device: str) -> tuple[int, ...]:
    """Widths of a kernel's stores, widest first."""
    signature = dict.fromkeys(kernel.arg_names[:-1], "i32") | {kernel.arg_names[-1]: "constexpr"}
    signature |= {name: "*i64" for name in kernel.arg_names if name.endswith("_ptr")}
    source = triton.compiler.ASTSource(kernel, signature, {(len(kernel.arg_names) - 1,): chunk_list.BLOCK_SIZE})
    return compiled(source, None, DEVICES[device])


@triton.jit
def _unrounded(chunks_ptr, ids_ptr, n_chunks, n_ids, BLOCK_SIZE: tl.constexpr):
    """A body whose end the compiler does not know to be a multiple of 16 bytes."""
    lanes = tl.arange(0, BLOCK_SIZE)
    body = tl.multiple_of(tl.load(chunks_ptr).to(tl.pointer_type(tl.int32)), 16)
    tl.store(body + lanes, tl.zeros([BLOCK_SIZE], tl.int32), mask=lanes < n_ids)


@pytest.mark.parametrize("device", DEVICES)
def test_bodies_are_stored_16_bytes_at_a_time(device: str) -> None:
    """In what CUDA's and AMD's compilers make of it; a mask of any number would make it four."""
    made = _compiled(chunk_list.kernel, device)
    assert made.stores == (16, 1)
    if device == "h200":
        assert "st.global.v4.b32" in made.assembly
    assert _compiled(_unrounded, device).stores == (4,)


@pytest.fixture
def uploads(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is sent to the device; nothing is launched."""
    sent: list[Any] = []
    monkeypatch.setattr(zeroer, "_zero_kv_blocks_kernel", FakeKernel())
    monkeypatch.setattr(zeroer, "async_tensor_h2d", lambda ids, *rest: sent.append(ids) or torch.tensor(ids))
    return sent


MANY = list(range(200))
HOSTILE = [
    ([0, -1], 4, IndexError, r"ids\[1\]=-1: must be 0 to 3, as there are 4 blocks"),
    ([1, 4], 4, IndexError, r"ids\[1\]=4: must be 0 to 3, as there are 4 blocks"),
    ([-1], None, IndexError, r"ids\[0\]=-1: must be 0 or more, below 2\^63"),
    ([2**63], None, IndexError, rf"ids\[0\]={2**63}: must be 0 or more"),
    ([2**63], 4, IndexError, r"must be 0 to 3"),
    ([-(2**63) - 1], None, IndexError, "must be 0 or more"),
    ([2, 0.0], None, ValueError, r"ids\[1\]=0\.0: must be an int"),
    ([None], 4, ValueError, r"ids\[0\]=None: must be an int"),
    ([2, torch.tensor(1.5)], 4, ValueError, r"ids\[1\]=tensor\(1\.5000\): must be an int"),
    ([3, True], 4, ValueError, r"ids\[1\]=True: must be an int"),
    ([False], None, ValueError, r"ids\[0\]=False: must be an int"),
    (["1"], 4, ValueError, r"ids\[0\]='1': must be an int"),
    ([7, 5, 199, 200], 200, IndexError, r"ids\[3\]=200: must be 0 to 199"),
    ([7, -5, 199], None, IndexError, r"ids\[1\]=-5"),
    ([*MANY, 200], 200, IndexError, r"ids\[200\]=200: must be 0 to 199"),
    ([*MANY, -1], 200, IndexError, r"ids\[200\]=-1"),
    ([*MANY, True], 200, ValueError, r"ids\[200\]=True"),
    ([*MANY, None], 200, ValueError, r"ids\[200\]=None"),
]


@pytest.mark.parametrize(("ids", "blocks", "error", "words"), HOSTILE)
def test_wrong_ids_are_named_before_anything_is_sent(
    uploads: list[Any], ids: list[Any], blocks: int | None, error: type[Exception], words: str
) -> None:
    """Id, place and number of blocks, whether or not a 0 or a 1 makes types matter."""
    one = KVBlockZeroer.of(_table((0, 8, 8), blocks=blocks), "cpu", kernel="chunk_list")
    with pytest.raises(error, match=words):
        one.zero_block_ids(ids)
    assert uploads == []


@pytest.mark.parametrize("ids", [[0], [1, 0, 1], [3], MANY, MANY[::-1], (0, 1, 2), [np.int64(0), 7]])
def test_right_ids_are_sent_as_they_are(uploads: list[Any], ids: list[int]) -> None:
    """Repeats, any order, the first and the last block, a list that is no list, and integers of NumPy."""
    KVBlockZeroer.of(_table((0, 8, 8), blocks=200), "cpu", kernel="chunk_list").zero_block_ids(ids)
    assert [list(sent) for sent in uploads] == [list(ids)]


def test_ids_past_the_blocks_are_taken_where_nobody_knows_their_number(uploads: list[Any]) -> None:
    """Such a table may be cleared anywhere."""
    KVBlockZeroer.of(_table((0, 8, 8), blocks=None), "cpu", kernel="chunk_list").zero_block_ids([2**63 - 1])
    assert [list(sent) for sent in uploads] == [[2**63 - 1]]


def test_a_list_longer_than_a_grid_loses_its_repeats(uploads: list[Any]) -> None:
    """Half a million times the same two pages would be a launch of seconds."""
    one = KVBlockZeroer.of(_table((0, 8, 8)), "cpu", kernel="chunk_list")
    one.zero_block_ids([3, 1] * MOST)
    one.zero_block_ids([3, 1] * (MOST // 2))
    assert [len(sent) for sent in uploads] == [2, MOST - 1]
    assert list(uploads[0]) == [1, 3]
