"""Case files of calls in flight together: what is written, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from msgspec.structs import replace

from fuzz import codec
from fuzz.build import build, trace
from fuzz.case import Case
from fuzz.errors import CaseError
from fuzz.overlap_rules import steps
from fuzz.rules import broken_rule
from fuzz.shrink.ordering import kept, looser
from fuzz.simplicity import order
from fuzz.source import Recorder, Untraceable
from oracles import ordering

HEAD = '{"domain": "contract", "guard": 64, "schema": 1, "segments": '
SIDE = '[{"base": 0, "blocks": 4, "page": 8, "stride": 16}]'
DRAWN = [build(Recorder(seed), "order") for seed in range(300)]


def _text(*calls: str, segments: str = SIDE, domain: str = "contract") -> str:
    text = f'{HEAD}{segments}, "calls": [{", ".join(calls)}]}}'
    return text.replace('"contract"', f'"{domain}"')


ZERO = '{"ids": "1", "op": "zero"}'
WRITE = '{"ids": "1", "op": "write"}'


def test_defaults_are_not_written() -> None:
    """A call on the current stream that waits for nothing looks as it always did, so files keep their names."""
    case = codec.decode(_text('{"ids": "1", "op": "zero", "stream": 0, "after": [], "graph": false}'))
    assert json.loads(codec.encode(case))["calls"] == [{"ids": "1", "op": "zero"}]
    assert codec.file_name(case) == codec.file_name(codec.decode(_text(ZERO)))
    assert not case.overlaps


def test_streams_and_waits_are_written() -> None:
    """What is no default reads back as it was written."""
    text = _text('{"ids": "1", "op": "write", "stream": 2}', '{"after": [0], "graph": true, "ids": "1", "op": "zero"}')
    case = codec.decode(text)
    assert case.overlaps
    assert json.loads(codec.encode(case))["calls"] == json.loads(text)["calls"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (_text('{"ids": "1", "op": "zero", "stream": 4}'), r"calls\[0\].stream=4: must be 0 to 3"),
        (_text('{"ids": "1", "op": "zero", "stream": -1}'), r"calls\[0\].stream=-1: must be 0 to 3"),
        (_text(ZERO, '{"after": [1], "ids": "1", "op": "zero"}'), r"calls\[1\].after=\[1\]: 1 is no earlier call"),
        (_text(ZERO, '{"after": [-1], "ids": "1", "op": "zero"}'), r"calls\[1\].after=\[-1\]: -1 is no earlier"),
        (_text(ZERO, '{"after": [0, 0], "ids": "1", "op": "zero"}'), r"without repeats; write \[0\]"),
        (_text(ZERO, ZERO, '{"after": [1, 0], "ids": "", "op": "zero"}'), r"must ascend .*write \[0, 1\]"),
        (_text(ZERO, '{"graph": true, "ids": "1", "op": "write"}'), r"calls\[1\].graph=true: only calls of the zeroer"),
        (_text(WRITE), r"none of them is of the zeroer"),
        (_text(ZERO, '{"ids": "1", "op": "write", "stream": 1}'), r"not ordered with calls\[0\].*block 1 .*add 0"),
        (_text(WRITE, '{"ids": "0-1", "op": "write", "stream": 1}', ZERO), r"block 1 \(write and write\)"),
        (_text('{"ids": "1", "op": "zero", "stream": 1}', domain="hostile"), "domain=hostile: its calls are made one"),
        (_text(ZERO, WRITE, segments=SIDE.replace("16}", '16, "times": 2}')), r"times=2: must be 1"),
        (_text(ZERO, WRITE, segments=f"{SIDE[:-1]}, {SIDE[1:]}"), r"segments\[1\].base=0: inside segments\[0\].*to 56"),
        (_text(ZERO, '{"ids": "1*70000", "op": "zero", "stream": 1}'), "more than 65536 ids"),
        (_text(*[WRITE] * 64, ZERO), "65 in flight together; at most 64"),
        (_text('{"ids": "-1", "op": "write"}', ZERO), "id -1 is negative"),
        (_text('{"ids": "1", "op": "zero", "stream": true}'), "Expected `int`, got `bool`"),
    ],
)
def test_a_broken_rule_is_named(text: str, names: str) -> None:
    """The error names the field, its value, the rule and a way out."""
    with pytest.raises(CaseError, match=names):
        codec.decode(text)


def test_profile_order_reaches_its_corners() -> None:
    """Six calls, four streams, waits, writes that are cleared, clearings that are written over, graphs."""
    cases = [build(Recorder(seed), "order") for seed in range(3000)]
    calls = [call for case in cases for call in case.calls]
    assert all(case.overlaps for case in cases)
    assert max(len(case.calls) for case in cases) == 6
    assert {call.stream for call in calls} == {0, 1, 2, 3}
    assert 0.05 < np.mean([any(call.graph for call in case.calls) for case in cases]) < 0.15
    assert 0.2 < np.mean([call.op == "write" for call in calls]) < 0.4
    assert np.mean([len({len(call.ids) for call in case.calls}) == 1 for case in cases]) > 0.3
    assert np.mean([len(case.calls) >= 3 for case in cases]) > 0.5
    assert max(case.end for case in cases) < 2**20
    over = {
        (case.calls[first].op, case.calls[second].op)
        for case in cases
        for first, second in [(i, j) for j in range(len(case.calls)) for i in ordering.before(steps(case.calls))[j]]
        if set(case.calls[first].ids.tolist()) & set(case.calls[second].ids.tolist())
    }
    assert over == {("zero", "write"), ("write", "zero"), ("zero", "zero"), ("write", "write")}


def test_other_profiles_do_not_trace_overlapping_calls() -> None:
    """A shrinker must not lose the streams by handing a case to a profile that draws none."""
    for profile, other in (("small", DRAWN[0]), ("order", build(Recorder(0), "small"))):
        with pytest.raises(Untraceable, match="profile order alone"):
            trace(other, profile)


def test_a_deleted_call_leaves_the_order_of_the_others() -> None:
    """Whatever calls are left, those of them that were ordered still are, and no other ones."""
    for case in DRAWN:
        ended = ordering.before(steps(case.calls))
        for gone in range(len(case.calls)):
            indices = [index for index in range(len(case.calls)) if index != gone]
            left = kept(case.calls, indices)
            after = ordering.before(steps(left))
            assert [{indices[k] for k in one} for one in after] == [set(ended[index]) - {gone} for index in indices]
            rest = replace(case, calls=left)
            if rest.overlaps and any(call.op == "zero" for call in left):
                assert broken_rule(rest) is None


def test_looser_cases_are_smaller() -> None:
    """Each has one thing less, and most are legal."""
    legal = [broken_rule(one) is None for case in DRAWN for one in looser(case) if order(one) < order(case)]
    assert np.mean(legal) > 0.5


def _waits(case: Case) -> int:
    return sum(len(call.after) for call in case.calls)


def test_order_counts_streams_and_waits_last() -> None:
    """Of two cases alike otherwise the one with fewer waits is smaller, and none of them counts before ids."""
    case = next(case for case in DRAWN if _waits(case))
    without = replace(case, calls=tuple(replace(call, after=()) for call in case.calls))
    assert order(without) < order(case)
