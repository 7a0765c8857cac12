"""vLLM's class with its kernel exchanged, on a stand-in for vLLM, in the simulator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch

from fuzz.adapters import vllm
from fuzz.bench import kernel
from fuzz.bench.geometries import Geometry
from fuzz.bench.kernel import BASE, DASHES, EXCHANGED, VLLM
from fuzz.bench.pace import measured
from fuzz.bench.vllm_class import InPlace
from fuzz.engines.launch_hook import Launch, Watched
from fuzz.errors import EngineError, UsageError
from fuzz.loading import load
from kvzero.generations import chunk_list
from tests.timed import known

pytestmark = pytest.mark.usefixtures("vllm_stand_in")

CPU = torch.device("cpu")
SMALL = Geometry("small", (64, 4, 1168), 9, 5)


class Second:
    """A clock on which every call takes a second."""

    def seconds(self, call: Callable[[], object]) -> float:
        call()
        return 1.0

    def settle(self) -> None:
        """Nothing is in flight."""


def test_either_kernel_clears_the_same_bytes_for_the_class() -> None:
    """Each row is of its own kernel, and is found right before it is timed; afterwards the class has its own again."""
    launched: list[str] = []

    def seen(launch: Launch) -> tuple[int, ...]:
        launched.append(launch.kernel)
        return launch.grid

    with Watched(seen):
        rows = measured(SMALL, {name: load(name).make for name in (VLLM, EXCHANGED)}, CPU, Second(), 1, known)
    its_own = vllm.package().utils._zero_kv_blocks_kernel
    assert [row["target"] for row in rows[:2]] == [VLLM, EXCHANGED]
    assert launched[:2] == [its_own.fn.__name__, chunk_list.kernel.fn.__name__]
    assert set(launched) == set(launched[:2])


def test_an_exchange_that_loses_an_id_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same comparison of every byte as for any other row."""
    monkeypatch.setattr(InPlace, "_launch", lambda self, *args, **_: chunk_list.launch(self._meta, args[3][1:]))
    with pytest.raises(EngineError, match=f"target={EXCHANGED}: clears geometry small wrongly"):
        measured(SMALL, {name: load(name).make for name in (VLLM, EXCHANGED)}, CPU, Second(), 1, known)


def test_a_call_that_raises_gives_the_kernel_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever uses the class next gets vLLM's own."""
    its_own = vllm.package().utils._zero_kv_blocks_kernel

    def failing(*_: Any) -> None:
        raise RuntimeError("out of resources")

    monkeypatch.setattr(chunk_list, "launch", failing)
    with pytest.raises(RuntimeError, match="out of resources"):
        measured(SMALL, {EXCHANGED: load(EXCHANGED).make}, CPU, Second(), 1, known)
    assert vllm.package().utils._zero_kv_blocks_kernel is its_own


class Process:
    """Answers a geometry with rows, ours twice as fast as vLLM's."""

    def __init__(self, names: tuple[str, ...], left_out: dict[str, str]) -> None:
        self._names = [name for name in names if name not in (DASHES, *left_out)]
        self._left_out = left_out

    def ready(self) -> dict[str, Any]:
        return {"device": "none", "left_out": self._left_out}

    def ask(self, line: str) -> list[dict[str, Any]]:
        return [
            {"geometry": line, "target": name, "gb_per_second": 2.0 if name == EXCHANGED else 1.0}
            for name in self._names
        ]


@pytest.mark.parametrize("installed", ["9.8.7, a folder", None])
def test_the_class_has_rows_where_it_is_installed(installed: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both of them, with version and ratio; else none, and nothing of vLLM in the report."""

    @contextmanager
    def process(_module: str, _rounds: str, *names: str) -> Iterator[Process]:
        yield Process(names, {})

    monkeypatch.setattr(kernel, "answering", process)
    monkeypatch.setattr(kernel, "installed", lambda: installed)
    report = kernel.run(lambda _: None)
    names = {row["target"] for row in report["rows"]}
    assert BASE in names
    assert names & {VLLM, EXCHANGED} == ({VLLM, EXCHANGED} if installed else set())
    assert (report.get("vllm"), report.get("speedup_in_vllm")) == (installed, 2.0 if installed else None)


def test_a_class_of_another_form_is_left_out_and_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has a vLLM that the adapter refuses can time the other kernels all the same."""
    words = "its KVBlockZeroer keeps something else"

    @contextmanager
    def process(_module: str, _rounds: str, *names: str) -> Iterator[Process]:
        yield Process(names, dict.fromkeys((VLLM, EXCHANGED), words))

    monkeypatch.setattr(kernel, "answering", process)
    monkeypatch.setattr(kernel, "installed", lambda: "9.8.7, a folder")
    told: list[str] = []
    report = kernel.run(told.append)
    assert told[0] == f"{VLLM} is left out: {words}"
    assert {row["target"] for row in report["rows"]} & {VLLM, EXCHANGED} == set()
    assert (set(report["left_out"]), "speedup_in_vllm" in report) == ({VLLM, EXCHANGED}, False)


def test_without_vllm_the_exchange_is_wrong_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the words of vLLM's other targets."""
    monkeypatch.setattr(vllm, "installed", lambda: None)
    with pytest.raises(UsageError, match="vllm is not installed; run: pip install"):
        load(EXCHANGED).make(None, CPU)
