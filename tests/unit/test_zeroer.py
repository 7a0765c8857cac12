"""KVBlockZeroer as upstream's tests use it: bare instances, a fake kernel, a fake upload."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from fuzz.built_in import BYTE_GRANULAR
from kvzero import SegmentTable, zeroer
from kvzero.generations import BY_NAME
from kvzero.zeroer import KVBlockZeroer, async_tensor_h2d


class FakeKernel:
    """Records grids and arguments instead of launching."""

    def __init__(self) -> None:
        self.launches: list[tuple[Any, ...]] = []

    def __getitem__(self, grid: tuple[int, ...]) -> Any:
        return lambda *args, **kwargs: self.launches.append((grid, args, kwargs))


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> FakeKernel:
    """A fake kernel and a plain upload in place of the zeroer's own."""
    fake = FakeKernel()
    monkeypatch.setattr(zeroer, "_zero_kv_blocks_kernel", fake)
    monkeypatch.setattr(zeroer, "async_tensor_h2d", lambda data, dtype, device: torch.tensor(data, dtype=dtype))
    return fake


def _table(pages: list[int], strides: list[int] | None = None) -> SegmentTable:
    page = np.array(pages, np.int64) * 4
    stride = page if strides is None else np.array(strides, np.int64) * 4
    return SegmentTable(np.arange(len(pages), dtype=np.int64) * 4096, stride, page, 4)


def test_the_dsv4_launch_is_12_million_programs(kernel: FakeKernel) -> None:
    """6,870 ids over 181 segments of 9,344 and 292 elements fit a 3-D grid; flat they pass 2^31."""
    pages = [9344 if index % 2 == 0 else 292 for index in range(181)]
    today = KVBlockZeroer.of(_table(pages), "cpu", kernel="masked_grid")
    assert today._meta[3:] == (10, 1024, 181)
    today.zero_block_ids(list(range(6870)))
    assert [launch[0] for launch in kernel.launches] == [(6870, 181, 10)]
    KVBlockZeroer.of(_table(pages), "cpu", kernel="page_table").zero_block_ids(list(range(6870)))
    assert kernel.launches[1][0] == (6870 * 181 * 2336,)
    assert 6870 * 181 * 2336 == 2_904_745_920 > 2**31 - 1


@pytest.mark.parametrize(
    ("meta", "grid"),
    [
        ((torch.zeros(2), 12, 4, 2), (3 * 2 * 3,)),
        ((torch.zeros(2), torch.zeros(2), 5, 4, 2), (3 * 2 * 5,)),
        ((torch.zeros(2), torch.zeros(2), torch.zeros(2), 10, 1024, 2), (3, 2, 10)),
    ],
)
def test_a_bare_instance_knows_its_generation_by_the_meta(kernel: FakeKernel, meta: tuple, grid: tuple) -> None:
    """Made by __new__ with device and _meta alone, the tuple's length picks the kernel."""
    bare = KVBlockZeroer.__new__(KVBlockZeroer)
    bare.device = torch.device("cpu")
    bare._meta = meta
    bare.zero_block_ids([0, 2, 1])
    assert [launch[0] for launch in kernel.launches] == [grid]


def test_our_kernel_is_launched_where_none_is_named(kernel: FakeKernel) -> None:
    """With its list of chunks, and with its ids checked."""
    one = KVBlockZeroer.of(_table([8, 8]), "cpu")
    one.zero_block_ids([1])
    KVBlockZeroer.of(_table([8, 8]), "cpu", kernel="chunk_list").zero_block_ids([1])
    (grid, arguments, options), named = kernel.launches
    assert (grid, options, arguments[2:]) == (named[0], named[2], named[1][2:])
    assert arguments[0].tolist() == named[1][0].tolist()
    with pytest.raises(IndexError, match="must be 0 to 3"):
        one.zero_block_ids([4])


@pytest.mark.parametrize("name", BY_NAME)
def test_an_empty_list_launches_nothing(kernel: FakeKernel, name: str) -> None:
    """No ids, no upload, no launch; the same for a cache without segments."""
    KVBlockZeroer.of(_table([8, 8]), "cpu", kernel=name).zero_block_ids([])
    KVBlockZeroer.of(_table([]), "cpu", kernel=name).zero_block_ids([1])
    assert kernel.launches == []


def test_the_upload_is_looked_up_at_each_call(monkeypatch: pytest.MonkeyPatch, kernel: FakeKernel) -> None:
    """Each call uploads its ids anew, as int64, to the zeroer's device."""
    seen = []
    monkeypatch.setattr(zeroer, "async_tensor_h2d", lambda *arguments: seen.append(arguments) or torch.zeros(2))
    one = KVBlockZeroer.of(_table([8]), "cpu", kernel="masked_grid")
    one.zero_block_ids([1, 2])
    one.zero_block_ids([3, 0])
    assert seen == [([1, 2], torch.int64, torch.device("cpu")), ([3, 0], torch.int64, torch.device("cpu"))]
    assert len(kernel.launches) == 2


@pytest.mark.parametrize(
    ("data", "sent"), [([3, 1, 3], [3, 1, 3]), ((-1, 2**63 - 1), [-1, 2**63 - 1]), ([True, 2], [1, 2]), ([2.9], [2])]
)
def test_an_upload_converts_as_torch_does(data: Any, sent: list[int]) -> None:
    """Integers on the short way, others on torch's own."""
    there = async_tensor_h2d(data, torch.int64, "cpu")
    assert (there.dtype, there.tolist()) == (torch.int64, sent)
    assert torch.equal(there, torch.tensor(data, dtype=torch.int64))


@pytest.mark.parametrize(("data", "words"), [([2**63], "Overflow"), ([None], "NoneType"), (["1"], "str")])
def test_an_upload_refuses_what_torch_refuses(data: Any, words: str) -> None:
    """A number of more than 64 bits, and what is no number; of what class the error is, versions of torch differ."""
    with pytest.raises(Exception, match=words):
        async_tensor_h2d(data, torch.int64, "cpu")


@pytest.mark.parametrize("segments", [1, 2, 3])
@pytest.mark.parametrize("name", BY_NAME)
def test_warmup_launches_on_scratch_memory(kernel: FakeKernel, name: str, segments: int) -> None:
    """One program a launch, on a table whose one address is outside the cache and whose page fits behind it.

    Types and alignment of all tensors, and every number but the count of ids, are those of a call.
    """
    cache = torch.zeros(16 * segments, dtype=torch.int32)
    page = np.full(segments, 16, np.int64)
    table = SegmentTable(cache.data_ptr() + np.arange(segments) * 64, page, page, 4)
    one = KVBlockZeroer.of(table, "cpu", kernel=name)
    one.warmup(5)
    warm, kernel.launches = kernel.launches, []
    one.zero_block_ids([0])
    _, called, options = kernel.launches[0]
    assert [launch[0] for launch in warm] == [(1,) * len(warm[0][0])] * len(warm)
    for _, arguments, named in warm:
        assert named == options
        assert list(map(_class, arguments)) == list(map(_class, called))
        address, *others = (
            number for column in _columns(arguments) for number in column.view(torch.int64).flatten().tolist()
        )
        storage = arguments[0].untyped_storage()
        assert arguments[0].data_ptr() < address <= storage.data_ptr() + storage.nbytes() - 4 * named["BLOCK_SIZE"]
        assert set(others) <= {named["BLOCK_SIZE"]}


def _columns(arguments: tuple) -> list[torch.Tensor]:
    """The tensors of a launch but the last one, which holds the ids."""
    return [argument for argument in arguments if isinstance(argument, torch.Tensor)][:-1]


def _class(argument: Any) -> Any:
    """What a launch is compiled for, but the number of ids, which stands behind them."""
    if isinstance(argument, torch.Tensor):
        return argument.dtype, argument.data_ptr() % 16
    return type(argument)


@pytest.mark.parametrize("name", BY_NAME)
def test_warmup_of_no_blocks_touches_nothing(kernel: FakeKernel, name: str) -> None:
    """Nothing is sent and nothing launched; the same for a cache without segments."""
    KVBlockZeroer.of(_table([8, 8]), "cpu", kernel=name).warmup(0)
    KVBlockZeroer.of(_table([]), "cpu", kernel=name).warmup(5)
    assert kernel.launches == []


@pytest.mark.parametrize(("name", "counts"), [("masked_grid", [1]), ("uniform_page", [1, 2, 16])])
def test_warmup_meets_each_class_of_the_number_of_ids(kernel: FakeKernel, name: str, counts: list[int]) -> None:
    """One id where the kernel does not see their number; 1, a multiple of 16 and neither where it does."""
    KVBlockZeroer.of(_table([8]), "cpu", kernel=name).warmup(1)
    ids = [next(a for a in reversed(launch[1]) if isinstance(a, torch.Tensor)) for launch in kernel.launches]
    assert [len(one) for one in ids] == counts
    assert not any(one.any() for one in ids)


def test_warmup_of_a_bare_instance(kernel: FakeKernel) -> None:
    """Made by __new__ with device and _meta alone; the grid is one program, the table not the cache's."""
    bare = KVBlockZeroer.__new__(KVBlockZeroer)
    bare.device = torch.device("cpu")
    bare._meta = (torch.zeros(3), torch.zeros(3), torch.zeros(3), 10, 1024, 3)
    bare.warmup(4)
    ((grid, arguments, named),) = kernel.launches
    assert (grid, named) == ((1, 1, 1), {"BLOCK_SIZE": 1024})
    assert {column.data_ptr() for column in _columns(arguments)}.isdisjoint(t.data_ptr() for t in bare._meta[:3])


def test_page_buckets_launch_once_a_page_size(kernel: FakeKernel) -> None:
    """One launch for each distinct page, in order of first appearance."""
    KVBlockZeroer.of(_table([8, 4, 8, 4, 2]), "cpu", kernel="page_buckets").zero_block_ids([0, 1])
    assert [launch[2]["PAGE_SIZE_EL"] for launch in kernel.launches] == [8, 4, 2]
    assert [launch[2]["N_SEGS"] for launch in kernel.launches] == [2, 2, 1]


def test_the_first_generation_refuses_two_page_sizes() -> None:
    """The words of the assertion are those that users reported."""
    with pytest.raises(AssertionError, match="Non-uniform page sizes: 2112 vs 10496"):
        KVBlockZeroer.of(_table([10496, 2112]), "cpu", kernel="uniform_page")


@pytest.mark.parametrize("name", [name for name in BY_NAME if name not in BYTE_GRANULAR])
def test_sizes_below_an_element_are_refused(name: str) -> None:
    """A stride that is no multiple of four bytes is named."""
    table = SegmentTable(*(np.array([value], np.int64) for value in (0, 10, 8)), 4)
    with pytest.raises(ValueError, match="stride=10 in segment 0: must be a multiple of 4"):
        KVBlockZeroer.of(table, "cpu", kernel=name)


def test_an_unknown_generation_is_named() -> None:
    """The error lists what there is."""
    with pytest.raises(ValueError, match=r"kernel='v9': must be one of uniform_page, "):
        KVBlockZeroer.of(_table([8]), "cpu", kernel="v9")


def test_a_table_is_one_upload_and_the_same_twice() -> None:
    """The device columns share one tensor, and a second call gives them again."""
    table = _table([8, 4, 2])
    first, second = table.on("cpu", 4), table.on("cpu", 4)
    assert first.page.tolist() == [8, 4, 2]
    assert first.base.dtype == torch.uint64
    assert first.stride.data_ptr() == second.stride.data_ptr() == first.base.data_ptr() + 3 * 8


def test_columns_of_another_type_are_refused() -> None:
    """Column, type and way out are named."""
    with pytest.raises(ValueError, match=r"stride=int32\[1\]: .*convert it with numpy.asarray"):
        SegmentTable(np.zeros(1, np.int64), np.zeros(1, np.int32), np.zeros(1, np.int64))
