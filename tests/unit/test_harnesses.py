"""Harnesses: clean on seeds and corpus, each catches what is planted, bytes and choices are one another's inverse."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from fuzz import codec, corpus
from fuzz.build import build
from fuzz.harnesses import NAMES, Disagreement, artifacts, libfuzzer, running, seeds, tables
from fuzz.harnesses.provider import Bytes, FromBytes, written
from fuzz.source import Choices, Recorder, Untraceable
from tests.conftest import ROOT
from tests.unit.test_codec import TEXT

HAS_ATHERIS = importlib.util.find_spec("atheris") is not None
needs_atheris = pytest.mark.skipif(not HAS_ATHERIS, reason="Atheris is an extra that is not installed here")

PLAIN = b""
"""No bytes at all: every choice is the lowest."""


def _one(name: str) -> Callable[..., None]:
    return importlib.import_module(f"fuzz.harnesses.{name}").one


def _inputs(name: str, count: int) -> list[bytes]:
    """The corpus, and fixed noise behind it; for the codec, noise in the text of cases."""
    known = list(seeds.seeds(name, ROOT / "corpus"))
    random = Random(7)  # noqa: S311 - fixed noise
    if name != "codec":
        return [PLAIN, *known, *(random.randbytes(random.choice((8, 40, 200))) for _ in range(count))]
    made = []
    for _ in range(count):
        text = bytearray(random.choice(known))
        for _ in range(random.randint(1, 4)):
            text[random.randrange(len(text))] = random.choice(b'0123456789-",:{}[]tfn. ')
        made.append(bytes(text))
    return [PLAIN, *known, *made]


def _sound(count: int) -> list[bytes]:
    """Bytes of drawn caches that nothing damages."""
    drawn = (seeds.seed_of("planner", build(Recorder(number), "layout")) for number in range(count))
    return [seed for seed in drawn if seed is not None]


@pytest.mark.parametrize("name", NAMES)
def test_what_the_product_does_is_no_find(name: str) -> None:
    """The corpus and fixed noise leave every harness quiet."""
    _all(name, _inputs(name, 300))


def test_each_harness_has_seeds() -> None:
    """The corpus reaches all of them: every file the codec, layouts the planner, segments the launches."""
    files = len(list(corpus.entries(ROOT / "corpus")))
    counts = {name: len(list(seeds.seeds(name, ROOT / "corpus"))) for name in NAMES}
    assert counts["codec"] == files
    assert counts["planner"] > 0
    assert counts["launches"] > files // 2


def test_the_codec_harness_catches_another_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    """A codec that lets a KeyError through is found on a damaged case."""
    decode = codec.decode

    def leaky(text: bytes) -> Any:
        if b'"guard"' not in text:
            raise KeyError("guard")
        return decode(text)

    one = _one("codec")
    damaged = TEXT.replace('"guard"', '"gvard"').encode()
    one(damaged)
    monkeypatch.setattr(codec, "decode", leaky)
    with pytest.raises(KeyError):
        one(damaged)


def test_the_codec_harness_catches_a_field_that_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """A case that reads back as another is found."""
    encode = codec.encode
    monkeypatch.setattr(codec, "encode", lambda case: encode(case).replace('"blocks": 4', '"blocks": 5'))
    with pytest.raises(Disagreement, match="changes when it is written"):
        _one("codec")(TEXT.encode())


def _without_first(table: Any) -> Any:
    return type(table)(table.base[1:], table.stride[1:], table.page[1:], table.blocks)


def _wider(table: Any) -> Any:
    return type(table)(table.base, table.stride, np.minimum(table.page + 4, table.stride), table.blocks)


def _more_blocks(table: Any) -> Any:
    return type(table)(table.base, table.stride, table.page, table.blocks + 1)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (_without_first, "had to be cleared"),
        (_wider, "had to stay"),
        (_more_blocks, "leaves their|blocks instead of"),
    ],
)
def test_the_planner_harness_catches_wrong_tables(
    monkeypatch: pytest.MonkeyPatch, fault: Callable[[Any], Any], words: str
) -> None:
    """A planner that drops a layer, takes a word too much, or counts a block too many is found on drawn caches."""
    from kvzero import planner

    plan = planner.plan
    monkeypatch.setattr(planner, "plan", lambda *given, **named: _if_any(fault, plan(*given, **named)))
    one, caught = _one("planner"), 0
    for data in _sound(12):
        found = _shown(one, data)
        caught += found is not None
        assert found is None or re.search(words, found), found
    assert caught >= 6


def _shown(one: Callable[[bytes], None], data: bytes) -> str | None:
    try:
        one(data)
    except Disagreement as found:
        return str(found)
    return None


def _all(name: str, inputs: list[bytes]) -> None:
    one = _one(name)
    for data in inputs:
        one(data)


def _if_any(fault: Callable[[Any], Any], table: Any) -> Any:
    return fault(table) if len(table) else table


def test_the_planner_harness_catches_a_refusal_of_sound_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    """PlanError is no answer to caches that nothing is wrong with."""
    from kvzero import planner

    def refuse(*_given: Any, **_named: Any) -> None:
        raise planner.PlanError("no")

    monkeypatch.setattr(planner, "plan", refuse)
    with pytest.raises(Disagreement, match="sound caches are refused: no"):
        _one("planner")(_sound(1)[0])


def test_the_planner_harness_catches_an_unchecked_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the planner's checks of what it is told, noise soon raises something else than PlanError."""
    from kvzero import planner

    monkeypatch.setattr(planner, "integer", lambda _who, _name, value, _least=None: value)
    with pytest.raises((TypeError, IndexError, ZeroDivisionError)):
        _all("planner", _inputs("planner", 300))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("C_INT", 2**31 - 2),
        ("MOST_THREADS", 1023),
        ("MOST_THREADS", 1056),
        ("FEW_PROGRAMS", 65_536),
    ],
)
def test_the_launch_harness_catches_an_off_by_one(monkeypatch: pytest.MonkeyPatch, name: str, wrong: int) -> None:
    """A judge whose limit is a little off is found on noise."""
    from oracles import launches

    monkeypatch.setattr(launches, name, wrong)
    with pytest.raises(Disagreement, match=r"^grid "):
        _all("launches", _grids(60_000))


def _grids(count: int) -> list[bytes]:
    """Noise that is about grids."""
    random = Random(3)  # noqa: S311 - fixed noise
    return [random.randbytes(16) + b"\x00" for _ in range(count)]


@pytest.mark.parametrize("name", ["masked_grid", "ids_on_z", "page_buckets", "chunk_list"])
def test_the_launch_harness_catches_a_wrong_grid(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A generation that asks for one program too few or too many is found on the corpus."""
    from kvzero.generations import BY_NAME

    launch = BY_NAME[name].launch

    class Off:
        def __init__(self, kernel: Any) -> None:
            self.kernel = kernel

        def __getitem__(self, grid: tuple[int, ...]) -> Any:
            return self.kernel[(*grid[:-1], grid[-1] + 1)]

    monkeypatch.setattr(BY_NAME[name], "launch", lambda meta, ids, kernel: launch(meta, ids, Off(kernel)))
    with pytest.raises(Disagreement, match=f"^{name}: grids"):
        _all("launches", _inputs("launches", 0))


def test_the_launch_harness_catches_chunks_that_leave_something(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of chunks that is shorter than the pages is found on the corpus."""
    from kvzero.generations import chunk_list

    cut = chunk_list.cut
    monkeypatch.setattr(chunk_list, "cut", lambda *given: cut(*given)[:-1] if len(cut(*given)) > 1 else cut(*given))
    with pytest.raises(Disagreement, match="not as long as the pages"):
        _all("launches", _inputs("launches", 0))


def test_choices_written_as_bytes_are_drawn_again() -> None:
    """Whatever a seed draws, its bytes draw: a source of bytes is the inverse of ``written``."""
    for seed in range(100):
        case = build(Recorder(seed), "layout")
        assert artifacts.sound_caches(seeds.seed_of("planner", case) or b"") == case


def test_choices_of_another_kind_are_refused() -> None:
    """Choices that lie outside of what is drawn are an error, not other bytes."""
    with pytest.raises(ValueError, match="choice=5: must be 0 to 3"):
        written(lambda source: source.integer(0, 3), [5])


def test_the_tables_of_corpus_cases_are_drawn_again() -> None:
    """Segments and the longest call of a case come back out of the launch harness's bytes."""
    met = 0
    for entry in corpus.entries(ROOT / "corpus", ("history",)):
        try:
            choices = Choices(tables.trace(entry.case))
        except Untraceable:
            continue
        assert tables.about_tables(choices)
        table = tables.drawn(choices)
        rows = [(one.base, one.stride, one.page, one.times) for one in entry.case.segments]
        assert [tuple(row) for row in table.rows] == rows
        assert table.ids == max(len(call.ids) for call in entry.case.calls)
        met += 1
    assert met > 10


def test_a_number_takes_the_bytes_of_its_range_from_the_end() -> None:
    """Two bytes for a range of 65,536; the last byte is the highest; none left is the lowest number."""
    source = FromBytes(Bytes(b"\x01\x02\x03"))
    assert [source.integer(0, 65_535), source.integer(5, 5), source.integer(10, 265), source.integer(7, 9)] == [
        0x0302, 5, 11, 7,
    ]  # fmt: skip


def test_damaged_caches_are_no_case() -> None:
    """An artifact whose caches are damaged stays what it is."""
    sound = _sound(1)[0]
    assert artifacts.sound_caches(sound) is not None
    assert artifacts.sound_caches(b"\x01" + sound) is None


def test_a_find_that_is_no_case_is_kept_with_its_words(tmp_path: Path) -> None:
    """The bytes go to crashing/ under their hash, what was said of them beside it."""
    (path,) = artifacts.keep("codec", b"{}", "KeyError: 'x'\n", tmp_path, None, None)
    assert path.parent == tmp_path / "crashing"
    assert path.name.startswith("harness-codec-")
    assert (path.suffix, path.read_bytes()) == (".bin", b"{}")
    assert path.with_suffix(".txt").read_text() == "KeyError: 'x'\n"
    assert not list(corpus.entries(tmp_path))


LINES = """INFO: Seed: 1
#2\tINITED cov: 5 ft: 6 corp: 1/1b exec/s: 0 rss: 40Mb
#4096\tpulse  cov: 7 ft: 8 corp: 2/2b lim: 4 exec/s: 4096 rss: 41Mb

 === Uncaught Python exception: ===
KeyError: 'x'
Traceback (most recent call last):
  File "a.py", line 7, in one

==18210== ERROR: libFuzzer: fuzz target exited
stat::number_of_executed_units: 8689
stat::average_exec_per_sec:     123
"""


def test_libfuzzers_lines_are_read() -> None:
    """Executions, rate and edges are taken from them, and the traceback alone is a find's words."""
    seen = libfuzzer.Seen()
    for line in LINES.splitlines():
        seen.read(line)
    assert (seen.executions, seen.edges, seen.rate) == (8689, 7, 123)
    assert seen.last_words() == ("KeyError: 'x'\nTraceback (most recent call last):\n  File \"a.py\", line 7, in one\n")


def test_the_shortest_inputs_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What evolves does not grow without bounds."""
    monkeypatch.setattr(running, "MOST_INPUTS", 3)
    for length in (5, 1, 4, 2, 3):
        (tmp_path / str(length)).write_bytes(b"x" * length)
    running._bound(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "2", "3"]


def test_the_dictionary_has_the_keys_of_the_format() -> None:
    """A field that the format gains is in it without anybody's doing."""
    words = seeds.dictionary()
    for key in ("segments", "num_blocks", "blocks_known", "stream", "overlay", "align"):
        assert f'"\\"{key}\\": "' in words


@needs_atheris
def test_plain_bytes_are_read_as_atheris_reads_them() -> None:
    """Both providers give the same numbers, whatever the ranges, and after the last byte."""
    atheris = importlib.import_module("atheris")
    random = Random(5)  # noqa: S311 - fixed noise
    for _ in range(2000):
        data = random.randbytes(random.randint(0, 30))
        ours, theirs = Bytes(data), atheris.FuzzedDataProvider(data)
        for _ in range(8):
            low = random.randint(-(2**40), 2**40)
            high = low + (1 << random.randint(0, 61)) - random.randint(0, 1)
            assert ours.ConsumeIntInRange(low, high) == theirs.ConsumeIntInRange(low, high)
