"""Sequences: rules, file form, order, how they are shrunk, and what is said of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from fuzz import batch, batch_arena, codec, corpus, exporting, messages, sequence_rules
from fuzz.build import build, numbered, trace
from fuzz.built_in import LAYOUTS, TABLES, built_in
from fuzz.case import Call, Case, Segment
from fuzz.control import Control
from fuzz.errors import CaseError, UsageError
from fuzz.events import Find, Report
from fuzz.findbook import FindBook
from fuzz.flight import InFlight, sequence_of
from fuzz.ids import Ids
from fuzz.in_turn import first_shown
from fuzz.layout import total
from fuzz.profiles import BY_NAME
from fuzz.profiles.parts import guarded
from fuzz.reports.json_report import as_json
from fuzz.reports.page_map import page_map
from fuzz.reports.terminal import ending, paragraph
from fuzz.rules import broken_rule
from fuzz.shrink import shrink
from fuzz.simplicity import order
from fuzz.source import Recorder, Untraceable
from fuzz.verdict import Bucket, Verdict, Wrong

TEXT = """{
  "calls": [],
  "domain": "contract",
  "guard": 0,
  "schema": 1,
  "sequence": [
    {"calls": [{"ids": "0", "op": "zero"}], "domain": "contract", "guard": 64, "segments": [{"base": 0, "blocks": 1, \
"page": 8, "stride": 8}]},
    {"calls": [{"ids": "", "op": "zero"}], "cold": true, "domain": "contract", "guard": 64, "segments": [{"base": 0, \
"blocks": 2, "page": 4, "stride": 8}]}
  ],
  "title": "Two in turn"
}
"""
NESTED = '"sequence": [{"calls": [], "domain": "contract", "guard": 0}], "segments": [{"base": 0, "blocks": 2'
"""A sequence in a case that has segments."""

PAIR = codec.decode(TEXT)
TAIL = Verdict("finding", "stale", "tail")
BUCKET = Bucket("t", "h200", "stale", "tail")


def _sequence(*members: Case) -> Case:
    return sequence_of([InFlight(0, "t", "small", member) for member in members], "t")


def _wide(page: int, blocks: int = 1) -> Case:
    call = Call("zero", Ids.parse("0"))
    return guarded(Case(domain="contract", guard=0, segments=(Segment(0, blocks, page, page),), calls=(call,)))


def test_a_sequence_is_written_as_it_was_read() -> None:
    """One case a line, and nothing in a case that belongs to the file."""
    assert codec.encode(PAIR) == TEXT
    assert [len(member.segments) for member in PAIR.sequence] == [1, 1]
    assert codec.decode(TEXT.replace("contract", "contract", 1)) == PAIR


@pytest.mark.parametrize("profile", ["small", "layout"])
def test_every_drawn_sequence_survives_the_file_and_the_wire(profile: str) -> None:
    """What a batch may hold is legal, and reads back equal, cases of a search among it."""
    for seed in range(20):
        drawn = [numbered(seed, index, (profile,))[0] for index in range(8)]
        case = replace(_sequence(*(one for one in drawn if batch.batchable(profile, one))), title="x")
        assert codec.decode(codec.encode(case)) == case
        wire = messages.decode_request(messages.encode(messages.Try("t", case)))
        assert wire == messages.Try("t", case)


def test_the_name_follows_the_cases() -> None:
    """Labels do not change the digits of a name; an id in one of the cases does, and so does their order."""
    name = codec.file_name(PAIR)
    assert name.startswith("two-in-turn-")
    assert codec.file_name(replace(PAIR, finds={"t@h200": "stale:tail"})) == name
    assert codec.file_name(codec.decode(TEXT.replace('"ids": ""', '"ids": "1"'))) != name
    assert codec.file_name(replace(PAIR, sequence=PAIR.sequence[::-1])) != name


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ('"calls": [],\n', '"calls": [{"ids": "", "op": "zero"}],\n', "calls: a sequence has none of its own; give"),
        ('"guard": 0', '"guard": 64', "guard: a sequence has none of its own"),
        ('"schema": 1', '"cold": true, "schema": 1', "cold: a sequence has none of its own"),
        ('"schema": 1', '"blocks_known": false, "schema": 1', "blocks_known: a sequence has none of its own"),
        ('"schema": 1', '"num_blocks": 3, "schema": 1', "num_blocks: a sequence has none of its own"),
        ('"schema": 1', '"schema": 1, "segments": [{"base": 0, "blocks": 1, "page": 8, "stride": 8}]',
         "segments, layers, sequence: a case has one of them"),
        ('  "domain": "contract"', '  "domain": "hostile"', "domain='hostile': a sequence is of contract cases"),
        ('"page": 4', '"page": -4', r"sequence\[1\].segments\[0\].page=-4: must be 1 or more"),
        ('"ids": "0"', '"ids": "1"', r"sequence\[0\].calls\[0\].ids=1: id 1 is past the last of 1 blocks"),
        ('"cold": true', '"title": "x"', r"sequence\[1\].title='x': belongs to the whole sequence"),
        ('"cold": true', '"schema": 2', r"sequence\[1\].schema=2: belongs to the whole sequence"),
        ('"cold": true', '"finds": {"t@h200": "hung"}', r"sequence\[1\].finds=.*: belongs to the whole sequence"),
        ('"cold": true, "domain": "contract"', '"domain": "hostile"', r"sequence\[1\].domain='hostile': must be"),
        ('"op": "zero"}], "cold"', '"op": "zero", "stream": 1}], "cold"', r"sequence\[1\].calls: .* made one by one"),
        ('"segments": [{"base": 0, "blocks": 2, "page": 4, "stride": 8}]', '"guard": 0', "segments, layers|duplicate"),
        ('"segments": [{"base": 0, "blocks": 2', NESTED, r"sequence\[1\].sequence: a sequence holds no sequence"),
        ('"cold": true', '"colder": true', r"unknown field `colder` - at `\$.sequence\[1\]`"),
        ('"ids": "0"', '"ids": "0-"', r"ids part '0-'.*sequence"),
        ('"guard": 64', '"guard": 4000000', r"sequence\[0\]: takes 8000\d* bytes .* must be 2097152 or less"),
    ],
)  # fmt: skip
def test_a_broken_rule_of_a_sequence_is_named(old: str, new: str, names: str) -> None:
    """The error names the file, the case of the sequence, its field, value and rule."""
    changed = TEXT.replace(old, new, 1)
    assert changed != TEXT
    with pytest.raises(CaseError, match=rf"^here\.json: .*({names})"):
        codec.decode(changed, "here.json")


def test_a_sequence_of_one_or_of_too_many_is_refused() -> None:
    """One case is written by itself; more than two batches cannot have been in flight."""
    large = build(Recorder(1), "small")
    large = replace(large, guard=2**20 - large.end)
    count = sequence_rules.ALL_BYTES // total(large)
    assert "must be 2 or more" in (broken_rule(_sequence(large)) or "")
    assert broken_rule(_sequence(*[large] * (count - 1))) is None
    assert "bytes together; must be 33554432 or less" in (broken_rule(_sequence(*[large] * (count + 1))) or "")


def test_sequences_deep_in_each_other_are_refused() -> None:
    """A file of nothing but brackets ends in an error, not in a traceback."""
    with pytest.raises(CaseError, match=r"^here\.json: "):
        codec.decode('{"schema": 1, "sequence": [' * 100_000, "here.json")


def test_the_limits_are_those_of_batches() -> None:
    """Rules import no torch, so they say the numbers again."""
    assert sequence_rules.MEMBER_BYTES == batch.LARGEST
    assert sequence_rules.ALL_BYTES == 2 * batch_arena.ROOM


def test_cases_fly_in_as_few_batches_as_hold_them() -> None:
    """In order, none lost, none too full, and none that would have held the next case as well."""
    members = [InFlight(index, "t", "small", numbered(1, index, ("small",))[0]) for index in range(400)]
    groups = list(batch.grouped(members, alone=lambda _: False))
    assert [one for group in groups for one in group] == members
    sizes = [sum(batch_arena.needed(total(one.case)) for one in group) for group in groups]
    assert len(groups) > 1
    assert max(sizes) <= batch_arena.ROOM
    for size, following in zip(sizes, groups[1:], strict=False):
        assert size + batch_arena.needed(total(following[0].case)) > batch_arena.ROOM


@pytest.mark.parametrize(
    ("outcomes", "label", "member"),
    [
        ("passed passed", "passed", None),
        ("declined passed", "passed", None),
        ("declined declined", "declined", 0),
        ("unproved passed finding", "stale:tail", 2),
        ("passed unproved unproved", "unproved", 1),
        ("unproved infra", "infra", 1),
        ("finding infra finding", "stale:tail", 0),
    ],
)
def test_the_first_find_is_the_verdict(outcomes: str, label: str, member: int | None) -> None:
    """A declined case counts as passed, and nothing that was not proved hides a find."""
    verdicts = [TAIL if outcome == "finding" else Verdict(outcome) for outcome in outcomes.split()]
    verdict = first_shown(verdicts)
    assert (verdict.label(), verdict.member) == (label, member)


def test_nothing_runs_after_the_first_find() -> None:
    """One after the other, the cases behind the guilty one are left alone."""
    asked = iter([Verdict("passed"), TAIL, Verdict("passed")])
    assert first_shown(asked).member == 1
    assert len(list(asked)) == 1


def test_any_case_is_simpler_than_a_sequence() -> None:
    """Then fewer cases, then simpler ones; a find of one bucket is kept in its simplest form."""
    pairs = [_sequence(_wide(4), _wide(4)), _sequence(_wide(4), _wide(8))]
    ascending = [_wide(4096, 64), *pairs, _sequence(*[_wide(4)] * 3)]
    assert sorted([pairs[1], *ascending[::3], pairs[0]], key=order) == ascending


def test_no_profile_draws_a_sequence() -> None:
    """So numbers are not handed on, and no cache is mistaken for an empty one."""
    for profile in BY_NAME:
        with pytest.raises(Untraceable):
            trace(PAIR, profile)


def test_a_sequence_is_for_the_targets_of_its_cases() -> None:
    """Tables, layouts, or both."""
    layout = build(Recorder(1), "layout")
    assert built_in(PAIR) == tuple(TABLES)
    assert built_in(_sequence(layout, layout)) == tuple(LAYOUTS)
    assert built_in(_sequence(_wide(4), layout)) == (*TABLES, *LAYOUTS)


def _shrunk(case: Case, attempt: Callable[[Case], Verdict], **more: bool) -> tuple:
    def attempted(case: Case, *, rehearse: bool = False, fresh: bool = False) -> Verdict:
        assert not rehearse
        return attempt(case)

    others: list[tuple[Case, Verdict]] = []
    shrunk = shrink(
        case, BUCKET, attempted, profile="small", unit=4, seconds=30.0,
        on_other=lambda *other: others.append(other), **more,
    )  # fmt: skip
    return shrunk, others


def _narrow_after_wide(case: Case) -> Verdict:
    """Stale where a page of 64 bytes or more comes somewhere before a narrower one."""
    pages = [max(segment.page for segment in member.segments) for member in case.sequence]
    wide = next((index for index, page in enumerate(pages) if page >= 64), len(pages))
    return TAIL if any(page < 64 for page in pages[wide:]) else Verdict("passed")


def test_a_sequence_shrinks_to_the_two_cases_that_it_takes() -> None:
    """And these to the smallest ones that still show it together."""
    drawn = [numbered(2, index, ("small",))[0] for index in range(40)]
    case = _sequence(_wide(4), *drawn, _wide(4096, 8), *drawn, _wide(16, 4))
    shrunk, others = _shrunk(case, _narrow_after_wide)
    assert shrunk.finished
    assert [member.segments for member in shrunk.case.sequence] == [
        (Segment(0, 1, 64, 64),),
        (Segment(0, 1, 4, 4),),
    ]
    assert not others


def test_a_case_that_shows_the_find_alone_is_left_by_itself() -> None:
    """It is shrunk on as any case is."""
    drawn = [numbered(2, index, ("small",))[0] for index in range(10)]

    def attempt(case: Case) -> Verdict:
        wide = any(s.page >= 64 for one in case.sequence or (case,) for s in one.segments)
        return TAIL if wide else Verdict("passed")

    shrunk, _ = _shrunk(_sequence(*drawn), attempt)
    assert shrunk.finished
    assert [(s.page, s.blocks) for s in shrunk.case.segments] == [(64, 1)]


def test_what_a_case_shows_alone_in_another_bucket_is_told() -> None:
    """Here each of the two does, and only the sequence of them is stale."""
    alone = Verdict("finding", "wrong", "head")
    case = _sequence(_wide(4), _wide(4))
    shrunk, others = _shrunk(case, lambda one: TAIL if one.sequence else alone)
    assert len(shrunk.case.sequence) == 2
    assert (_wide(4), alone) in others
    assert not any(other.sequence for other, _ in others)


class Process:
    """Runs sequences of a target that clears no wider than a case before did: for ever, or until the next one."""

    def __init__(self, *, for_ever: bool) -> None:
        self.for_ever = for_ever
        self.renew()

    def renew(self) -> None:
        self.left = 2**20

    def __call__(self, case: Case, *, rehearse: bool = False, fresh: bool = False) -> Verdict:
        if fresh:
            self.renew()
        shown = Verdict("passed")
        for member in case.sequence or (case,):
            page = max(segment.page for segment in member.segments)
            shown = TAIL if page > self.left else shown
            self.left = min(self.left, page) if self.for_ever else page
        return shown


@pytest.mark.parametrize("for_ever", [True, False])
def test_what_a_process_has_seen_is_not_what_a_sequence_shows(*, for_ever: bool) -> None:
    """Two cases are left that show it in a fresh process, and neither does alone."""
    wide = [_wide(1024 - 8 * index) for index in range(20)]
    case = _sequence(*wide[:9], _wide(64), *wide[9:] if for_ever else (), wide[0])
    process = Process(for_ever=for_ever)
    others: list = []
    shrunk = shrink(
        case, BUCKET, process, profile="small", unit=4, seconds=10.0, on_other=lambda *other: others.append(other)
    )
    assert len(shrunk.case.sequence) == 2
    assert process(shrunk.case, fresh=True) == TAIL
    assert all(process(member, fresh=True) == Verdict("passed") for member in shrunk.case.sequence)
    assert not others


def test_a_deadly_sequence_gets_eight_runs() -> None:
    """Each of them costs a worker."""
    runs = []

    def attempt(case: Case) -> Verdict:
        runs.append(case)
        return _narrow_after_wide(case)

    drawn = [numbered(2, index, ("small",))[0] for index in range(64)]
    shrunk, _ = _shrunk(_sequence(_wide(64), *drawn, _wide(4)), attempt, deadly=True)
    assert len(runs) == shrunk.runs == 8
    assert 2 <= len(shrunk.case.sequence) < 66


def test_only_the_guilty_case_is_drawn() -> None:
    """Which of how many it is stands above; without a guilty one all of them are named in words."""
    verdict = Verdict("finding", "stale", "tail", "4 bytes", (Wrong(4, 8, "stale", "tail"),), 4, member=0)
    drawn = page_map(PAIR, "t", verdict)
    assert "sequence of 2 cases" in drawn
    assert "below: sequence[0]\n" in drawn
    assert "  block      0 0000SSSS|\n" in drawn
    assert "4 bytes, 8 apart" not in drawn
    passed = page_map(PAIR, "t", Verdict("passed"))
    assert "sequence[1]: segment at 0: 2 blocks of 4 bytes, 8 apart\n" in passed
    assert "not known" not in passed
    assert "which of them it was, is not known" in page_map(PAIR, "t", Verdict("finding", "hung"))


def test_a_sequence_has_no_script() -> None:
    """The error says what to give instead."""
    with pytest.raises(UsageError, match=r"sequence: 2 cases .* have no script yet; give the case file"):
        exporting.script(PAIR, "page_table")


@pytest.mark.parametrize(
    ("case", "kind", "replays", "label"),
    [
        (PAIR, "stale", (10, 10), "batch-only"),
        (PAIR, "unstable", (3, 10), "unstable"),
        (PAIR.sequence[0], "stale", (10, 10), "confirmed"),
        (PAIR.sequence[0], "unstable", (0, 10), "unstable"),
        (PAIR.sequence[0], "stale", None, None),
        (PAIR.sequence[0], "hung", (0, 0), None),
    ],
)
def test_a_find_says_how_far_it_can_be_trusted(case: Case, kind: str, replays: object, label: str | None) -> None:
    """In the report of a run, and in words where only a batch shows it."""
    bucket = Bucket("t", "h200", kind, "")
    find = Find(bucket, case, Verdict("finding", kind), "small", replays=replays)
    report = Report(0, finds={bucket: find})
    assert [one["label"] for one in json.loads(as_json(report))["finds"]] == [label]
    assert ("batch-only" in paragraph(find)) == ("batch-only" in ending(report)) == (label == "batch-only")


def test_a_case_by_itself_takes_the_place_of_a_sequence(tmp_path: Path) -> None:
    """One file a bucket, and it holds the simplest case."""
    case = _wide(4096, 64)
    first = corpus.keep(tmp_path, PAIR, BUCKET)
    assert codec.read(first).sequence == PAIR.sequence
    assert corpus.keep(tmp_path, _sequence(*[_wide(4)] * 3), BUCKET) == first
    last = corpus.keep(tmp_path, case, BUCKET)
    assert list((tmp_path / "crashing").iterdir()) == [last]
    assert codec.read(last).segments == case.segments
    assert [entry.path for entry in corpus.checked(tmp_path)] == [last]


def test_a_find_of_a_sequence_is_booked_shrunk_and_replayed(tmp_path: Path) -> None:
    """Under its own bucket and label; what only the process shows is unstable, here because it never comes again."""

    class Crew(Process):
        def attempt(self, case: Case, target: str, *, rehearse: bool = False) -> Verdict:
            return self(case, rehearse=rehearse)

    case = _sequence(*[_wide(8 * number) for number in range(1, 20)], _wide(64), _wide(512))
    labels = []
    for crew in (Crew(for_ever=False), Crew(for_ever=True)):
        report = Report(0)
        control = Control(30.0, None, stop_on_find=False)
        book = FindBook(report, tmp_path, set(), "h200", {"t": 4}, crew, control, lambda event: None)
        book.met(case, "t", "small", TAIL, count=1)
        book.settle()
        (find,) = report.distinct
        labels.append((find.label, len(find.case.sequence), find.replays))
    assert labels == [("batch-only", 2, (10, 10)), ("batch-only", 2, (10, 10))]

    class Once(Crew):
        def __call__(self, case: Case, **asked: bool) -> Verdict:
            return Verdict("passed")

    report = Report(0)
    book = FindBook(report, tmp_path, set(), "h200", {"t": 4}, Once(for_ever=True), control, lambda event: None)
    book.met(case, "t", "small", TAIL, count=1)
    book.settle()
    (find,) = report.distinct
    assert (find.label, find.replays) == ("unstable", (0, 10))
