"""Open finds: what became of them on today's target, within their time."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz import codec, corpus
from fuzz.build import build
from fuzz.case import Case
from fuzz.control import Control
from fuzz.open_finds import replayed
from fuzz.source import Recorder
from fuzz.verdict import Bucket, Verdict

PASSED = Verdict("passed")
TAIL = Verdict("finding", "stale", "tail")


class _Hands:
    """Gives verdicts in turn, the last one for ever, and remembers the targets that ran."""

    def __init__(self, *verdicts: Verdict) -> None:
        self.verdicts = list(verdicts)
        self.ran: list[str] = []

    def attempt(self, case: Case, target: str, *, rehearse: bool = False) -> Verdict:
        self.ran.append(target)
        return self.verdicts.pop(0) if len(self.verdicts) > 1 else self.verdicts[0]


def _control(seconds: float | None = None) -> Control:
    return Control(seconds, None, stop_on_find=False)


def _keep(root: Path, kind: str, detail: str = "", target: str = "t", seed: int = 1) -> str:
    return str(corpus.keep(root, build(Recorder(seed), "small"), Bucket(target, "h200", kind, detail)))


@pytest.mark.parametrize(
    ("kind", "detail", "verdicts", "state", "now", "runs"),
    [
        ("stale", "tail", [TAIL], "still", "stale:tail", 1),
        ("stale", "tail", [PASSED], "fixed", "passed", 1),
        ("stale", "head", [TAIL], "changed", "stale:tail", 1),
        ("stale", "tail", [Verdict("unproved")], "not replayed", "unproved", 1),
        ("unstable", "", [PASSED, PASSED, TAIL], "still", "stale:tail", 3),
        ("unstable", "", [PASSED], "fixed", "passed", 10),
        ("hung", "", [Verdict("finding", "hung", lost=True)], "still", "hung", 1),
    ],
)
def test_each_state_has_its_word(
    tmp_path: Path, kind: str, detail: str, verdicts: list, state: str, now: str, runs: int
) -> None:
    """Still, fixed or changed by one replay; what comes and goes is fixed only if ten replays show nothing."""
    path = _keep(tmp_path, kind, detail)
    hands = _Hands(*verdicts)
    (one,) = replayed(tmp_path, ("t",), "h200", hands, _control())
    assert (one.bucket.split(" ")[0], one.case, one.state, one.now) == ("t@h200", path, state, now)
    assert len(hands.ran) == runs
    assert codec.read(Path(path)), "the file stays where it is"


def test_only_what_the_run_is_about(tmp_path: Path) -> None:
    """Other targets, other devices, foreign files and a corpus that is not there yet are let be."""
    _keep(tmp_path, "stale", "tail", "other")
    _keep(tmp_path, "stale", "tail")
    (tmp_path / "crashing" / "notes.json").write_text("[]")
    hands = _Hands(TAIL)
    assert replayed(tmp_path, ("t",), "mi300x", hands, _control()) == []
    assert len(replayed(tmp_path, ("t",), "h200", hands, _control())) == 1
    assert replayed(tmp_path / "nowhere", ("t",), "h200", hands, _control()) == []
    assert hands.ran == ["t"]


def test_deadly_ones_come_last_and_time_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the run at the most; what is left over says so."""
    for seed, kind in enumerate(("hung", "faulted", "wrong")):
        _keep(tmp_path, kind, seed=seed)
    order = [one.bucket for one in replayed(tmp_path, ("t",), "h200", _Hands(PASSED), _control())]
    assert order[0] == "t@h200 wrong"
    monkeypatch.setattr("fuzz.open_finds.MOST_SECONDS", 0.0)
    hands = _Hands(PASSED)
    assert [one.state for one in replayed(tmp_path, ("t",), "h200", hands, _control())] == ["not replayed"] * 3
    assert hands.ran == []
