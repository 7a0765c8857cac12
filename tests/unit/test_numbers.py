"""The hand-off to Hypothesis's shrinker: a contract test of the private parts that it uses."""

from __future__ import annotations

from msgspec.structs import replace

from fuzz import codec
from fuzz.build import build, trace
from fuzz.case import Case
from fuzz.shrink.numbers import cases, lower, minimal
from fuzz.shrink.structure import delete
from fuzz.shrink.trial import Trial
from fuzz.source import Recorder
from fuzz.verdict import Bucket, Verdict


def test_hypothesis_starts_from_the_recorded_choices_exactly() -> None:
    """The first case that the shrinker tries is the recorded one."""
    case = build(Recorder(3), "small")
    tried: list[Case] = []

    def holds(candidate: Case) -> bool:
        tried.append(candidate)
        return candidate == case

    minimal(trace(case, "small"), cases("small", 4), holds)
    assert tried[0] == case


def test_hypothesis_lowers_what_structure_left() -> None:
    """From any start, the smallest case with a page over 100 bytes and two ids has just those."""

    def verdict(case: Case) -> Verdict:
        wide = any(s.page > 100 for s in case.segments)
        many = sum(len(call.ids) for call in case.calls) >= 2
        return Verdict("finding", "stale", "tail") if wide and many else Verdict("passed")

    reached = set()
    runs = []
    for seed in range(60):
        case = build(Recorder(seed), "small")
        if verdict(case).outcome == "finding":
            trial = Trial(case, Bucket("t", "h200", "stale", "tail"), verdict, 60, 100_000, lambda case, verdict: None)
            delete(trial)
            before = trial.runs
            lower(trial, "small", 4)
            delete(trial)
            runs.append(trial.runs - before)
            reached.add(codec.encode(replace(trial.best, guard=0)))
    assert len(reached) == 1
    (segment,) = codec.decode(reached.pop()).segments
    assert (segment.base, segment.blocks, segment.page, segment.stride) == (0, 1, 104, 104)
    assert len(runs) > 20
    assert sorted(runs)[len(runs) // 2] <= 150


def test_the_same_find_is_tried_the_same_way() -> None:
    """Two shrinkings of one find try the same cases in the same order, whatever ran before."""

    def tried(case: Case) -> list[Case]:
        seen: list[Case] = []

        def holds(candidate: Case) -> bool:
            seen.append(candidate)
            pages = sum(segment.page for segment in candidate.segments)
            return pages > 1000 and (pages // 4) % 7 == sum(len(call.ids) for call in candidate.calls) % 7

        minimal(trace(case, "small"), cases("small", 4), holds)
        return seen

    starts = [build(Recorder(seed), "small") for seed in range(40)]
    first, again = [tried(case) for case in starts], [tried(case) for case in reversed(starts)]
    assert max(map(len, first)) > 100
    assert first == again[::-1]
