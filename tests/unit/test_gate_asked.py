"""What a gate is asked: its cases wherever they lie, and what a receipt's gate was asked less."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.case import Call, Case, Segment
from fuzz.corpus import Entry
from fuzz.gate.asked import less, of_corpus, of_request
from fuzz.gate.request import Request
from fuzz.ids import Ids


def _request(seconds: float, cost_limit: float | None = None) -> Request:
    return Request("k.py:new", "k.py:old", Path("corpus"), Path("finds"), seconds=seconds, cost_limit=cost_limit)


def _entry(path: str, block: int) -> Entry:
    calls = (Call("zero", Ids.of([block])),)
    return Entry(
        Path(path), "history", Case(domain="contract", guard=64, segments=(Segment(0, 4, 16, 16),), calls=calls)
    )


@pytest.mark.parametrize(
    ("receipt_s", "here", "words"),
    [
        (_request(30, 3.0), _request(30), ""),
        (_request(30, 3.0), _request(30, 5.0), ""),
        (_request(40, 3.0), _request(30), ""),
        (_request(60), _request(60), ""),
        (_request(12, 3.0), _request(30), "--mode and --seconds here ask for"),
        (_request(30), _request(31), "--mode and --seconds here ask for"),
        (_request(30), _request(30, 3.0), "without --cost-limit"),
        (_request(30, 5.0), _request(30, 3.0), "with --cost-limit 5, and 3 is asked"),
    ],
)
def test_the_time_that_a_limit_on_cost_takes_is_none_that_a_receipt_lacks(
    receipt_s: Request, here: Request, words: str
) -> None:
    """As many seconds are as much, whichever of the two was timed; fewer are less."""
    there = of_request(receipt_s, ("new", "old"), ())
    missing = less(there, of_request(here, ("new", "old"), ()).beside(there, here))
    assert words in missing
    assert bool(words) == bool(missing)


def test_a_corpus_is_its_cases_wherever_they_lie() -> None:
    """The same cases in another order and folder are the same corpus; another id is another."""
    one = of_corpus([_entry("a", 0), _entry("b", 1)])
    assert one == of_corpus([_entry("c", 1), _entry("d", 0)])
    assert one != of_corpus([_entry("a", 0), _entry("b", 2)])
