"""The cost check: an estimate that noise does not fool, and what a limit makes of it."""

from __future__ import annotations

import subprocess
from math import comb, prod
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
import torch

from fuzz import messages
from fuzz.bench.by_turns import paired
from fuzz.bench.geometries import FIXED, Geometry
from fuzz.bench.pair import Pair, chunks, fits
from fuzz.engines.launch_hook import Launch, Watched
from fuzz.errors import EngineError, UsageError
from fuzz.gate.base import Base
from fuzz.gate.checks.costs import NEEDS_A_GPU, CostCheck
from fuzz.gate.cost import GROUPS, Cost, cost, outermost
from fuzz.gate.request import Request
from fuzz.gate.results import Check
from fuzz.gate.running import checks_of
from fuzz.gate.stopwatch import Stopwatch
from kvzero import Limits
from tests import planted_cost
from tests.timed import Ticking, kernel_named, known

CPU = torch.device("cpu")
SMALL = Geometry("small", (64, 4, 5000), 60, 40)
TRIALS = 40


def _noisy(random: Random, more: float, noise: float = 0.02) -> list[Pair]:
    """Timings of six geometries, the third of which is too short to show what is slower.

    Each timing has noise of its own, one in a hundred takes thrice as long, the clock drifts by a tenth, short
    calls are seen in steps of half a microsecond, and who begins is two per cent slower.
    """
    pairs = []
    for number, geometry in enumerate(FIXED):
        rounds, usual = (400, 6e-6) if number == 2 else (random.randint(40, 200), 1e-4)
        seconds: tuple[list[float], list[float]] = ([], [])
        for turn in range(rounds):
            for which in (0, 1):
                drawn = usual * (1 + 0.1 * turn / rounds) * random.lognormvariate(0, noise)
                drawn *= 1 + (more if which == 0 and number != 2 else 0.0)
                drawn *= 1.02 if turn % 2 == which else 1.0
                drawn *= 3 if random.random() < 0.01 else 1
                seconds[which].append(max(round(drawn / 5e-7), 1) * 5e-7)
        pairs.append(Pair(geometry.name, chunks(geometry), seconds, (chunks(geometry) * 2, chunks(geometry))))
    return pairs


def _check(
    limit: float | None,
    pairs: list[Pair],
    wrong: list[str] | None = None,
    engine: str = "cuda",
    takes: str = "table",
    base: Base | None = None,
    left: float = 5.0,
) -> Check:
    opened = SimpleNamespace(engine=engine)
    control = SimpleNamespace(left=left, interrupted=not left)
    base = base or SimpleNamespace(trouble=None)
    ground = SimpleNamespace(opened=opened, takes=takes, base=base, control=control)
    return CostCheck(limit, lambda seconds: (pairs, wrong or [], []))(ground)


@pytest.mark.parametrize(("more", "state"), [(0.05, "failed"), (0.01, "passed"), (0.0, "passed"), (-0.1, "passed")])
def test_a_limit_of_three_per_cent_refuses_five_and_not_one(more: float, state: str) -> None:
    """Every time, whatever the noise; a twentieth more on five geometries of six is 4.2 per cent."""
    random = Random(1)  # noqa: S311 - the same noise every time
    states = [_check(3.0, _noisy(random, more)).state for _ in range(TRIALS)]
    assert states == [state] * TRIALS


def test_the_estimate_is_a_geometric_mean_and_its_interval_holds() -> None:
    """Without noise it is exact; with it the truth lies inside, but for one in twenty."""
    flat = [Pair(name, 10, ([more * 1e-4] * 40, [1e-4] * 40), (30, 10)) for name, more in (("a", 1.21), ("b", 1.0))]
    exact = cost(flat)
    assert exact.more == pytest.approx(0.1)
    assert (exact.low, exact.high) == (exact.more, exact.more)
    assert exact.geometries == {"a": pytest.approx(0.21), "b": pytest.approx(0.0)}
    assert exact.programs == (3.0, 1.0)
    random = Random(2)  # noqa: S311
    truth = 1.05 ** (5 / 6) - 1
    found = [cost(_noisy(random, 0.05)) for _ in range(TRIALS)]
    assert sum(one.low <= truth <= one.high for one in found) >= TRIALS - 2
    assert max(one.high - one.low for one in found) < 0.025


def test_an_interval_leaves_out_as_many_groups_as_it_may() -> None:
    """A median outside of it is rarer than one in two hundred; one group less would be too many."""
    cut = outermost(GROUPS)
    outside = [2 * sum(comb(GROUPS, few) for few in range(most + 1)) / 2**GROUPS for most in (cut, cut + 1)]
    assert outside[0] <= 0.005 < outside[1]


def test_what_cannot_be_told_apart_from_the_limit_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the limit, but not surely: the gate cannot say; below it: passed, wherever the spread reaches."""
    for more, state in ((0.031, "nothing proved"), (0.029, "passed")):
        spread = Cost(more, 0.01, 0.06, {"a": more}, (1.0, 1.0))
        monkeypatch.setattr("fuzz.gate.checks.costs.cost", lambda pairs, spread=spread: spread)
        assert _check(3.0, [None]).state == state


def test_without_a_limit_cost_is_information_and_says_all() -> None:
    """Ratio, spread, each geometry, programs for each useful chunk."""
    check = _check(None, _noisy(Random(3), 0.5))  # noqa: S311
    assert check.state == "information"
    assert "2.00 programs for each useful chunk, the base's 1.00" in check.words
    assert all(f"{one.name} +" in check.words or f"{one.name} -" in check.words for one in FIXED)
    assert "device time +4" in check.words


def test_what_is_not_timed_says_why() -> None:
    """Without a GPU, without a base, without a geometry that fits, with a kernel that is wrong."""
    assert _check(3.0, [], engine="simulator").words == NEEDS_A_GPU
    assert (_check(None, []).state, _check(3.0, []).state) == ("left out", "nothing proved")
    wrong = _check(None, [], ["odd-1000"])
    assert (wrong.state, wrong.words) == ("failed", "the target clears geometry odd-1000 wrongly")


def test_nobody_is_timed_once_time_is_up() -> None:
    """It would only be ended again, and the gate outlast its ceiling by that."""
    for limit, state in ((None, "left out"), (3.0, "cut short")):
        check = _check(limit, [None], left=0.0)
        assert (check.state, check.words) == (state, "was not measured: time was up")


class Missing:
    """A worker whose base cannot be loaded."""

    def open(self) -> messages.Opened:
        raise UsageError("target='old.py:zeroer': there is no file old.py")


def test_a_named_limit_that_nothing_is_held_against_is_not_proved() -> None:
    """A base that cannot be built, a target without a table: without a limit nobody asked."""
    broken = Base("old.py:zeroer", Missing(), lambda: 5.0)
    for limit, state in ((None, "left out"), (3.0, "nothing proved")):
        check = _check(limit, [], base=broken)
        assert (check.state, "the base cannot be built: target='old.py:zeroer'" in check.words) == (state, True)
        check = _check(limit, [], takes="layout")
        assert (check.state, "the target takes a layout; tables are timed" in check.words) == (state, True)


def test_a_base_whose_file_is_new_has_no_cost_to_be_held_against(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The change that brings a kernel passes with a limit, too."""
    monkeypatch.chdir(tmp_path)
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "nothing"]):
        subprocess.run(["git", *who, *arguments], check=True)  # noqa: S607
    check = _check(3.0, [], base=Base("git:HEAD:old.py:zeroer", Missing(), lambda: 5.0))
    assert (check.state, check.words.startswith("was not measured: the base cannot be built")) == ("left out", True)


def test_a_limit_is_held_against_before_anything_is_run(tmp_path: Path) -> None:
    """Information waits until all is over; nothing is timed with the corpus alone."""
    for limit, place in ((3.0, 1), (None, 7)):
        names = [check.name for check in checks_of(Request("new", "old", tmp_path, tmp_path, cost_limit=limit))]
        assert (names.index("cost"), len(names)) == (place, 8)
    only = checks_of(Request("new", "old", tmp_path, tmp_path, corpus_only=True))
    assert [check.name for check in only] == ["limits", "corpus", "fixed"]


def test_memory_is_asked_before_what_only_informs(tmp_path: Path) -> None:
    """Right after the corpus: information takes shares of the time that is left."""
    for corpus_only in (False, True):
        request = Request("new", "old", tmp_path, tmp_path, corpus_only=corpus_only, sanitize=True)
        names = [check.name for check in checks_of(request, sanitize=lambda target, paths: [])]
        assert names[1:3] == ["corpus", "sanitize"]
        assert names[-1] == ("fixed" if corpus_only else "cost")


def test_two_zeroers_are_timed_by_turns_on_the_same_ids() -> None:
    """Who begins changes from round to round, cold calls are not counted, and programs are what was launched."""
    told: list[tuple[str, tuple[int, ...]]] = []

    def told_by(name: str):
        def make(table, device):
            zero = kernel_named("masked_grid")(table, device)

            def both(ids: list[int]) -> None:
                told.append((name, tuple(ids)))
                zero(ids)

            return both

        return make

    clock = Ticking()
    pair = paired(SMALL, (told_by("new"), told_by("old")), CPU, clock, known, (4, 4))
    assert clock.calls == 2 * (3 + 4)
    milliseconds = [[round(took * 1e3) for took in seconds] for seconds in pair.seconds]
    assert milliseconds == [[8, 9, 12, 13], [7, 10, 11, 14]]
    timed = told[-8:]
    assert [name for name, _ in timed] == ["old", "new", "new", "old", "old", "new", "new", "old"]
    assert all(one[1] == two[1] for one, two in zip(timed[::2], timed[1::2], strict=True))
    assert (pair.chunks, pair.programs) == (4 * 40, (6 * 40, 6 * 40))  # 1, 1, 2 chunks; three pages of the widest's 2


def test_a_target_that_is_wrong_is_not_timed() -> None:
    """And the base is not asked to be right."""
    nothing = lambda table, device: lambda ids: None  # noqa: E731
    assert paired(SMALL, (nothing, kernel_named("masked_grid")), CPU, Ticking(), known, (2, 2)) is None
    assert paired(SMALL, (kernel_named("masked_grid"), nothing), CPU, Ticking(), known, (2, 2)).programs[1] == 0


def test_planted_costs_write_their_share_more() -> None:
    """Right, in as many programs as our kernel has, with a twentieth and a hundredth of its bytes more, in sectors."""
    geometry = Geometry("wide", (40_000,), 4, 3)
    rounding = 9 * planted_cost.SECTOR / 2
    for zeroer, share in ((planted_cost.five_per_cent, 0.05), (planted_cost.one_per_cent, 0.01)):
        sizes: list[int] = []

        def seen(launch: Launch, sizes: list[int] = sizes) -> tuple[int, ...]:
            if launch.kernel == "_and_more":
                sizes.append(prod(launch.grid) * launch.arguments[5] * 4)
            return launch.grid

        with Watched(seen):
            pair = paired(geometry, (zeroer, kernel_named("chunk_list")), CPU, Ticking(), known, (2, 2))
        assert pair.programs == (9, 9)
        assert sizes
        assert sizes == pytest.approx([share * 3 * 40_000] * len(sizes), abs=rounding)


@pytest.mark.parametrize(
    ("limits", "taken"),
    [
        (Limits(), 6),
        (Limits(unit=16), 5),
        (Limits(segments=180), 2),
        (Limits(ids=64), 2),
        (Limits(page=40_000), 4),
        (Limits(uniform=True), 1),
    ],
)
def test_geometries_beyond_a_targets_limits_are_left_out(limits: Limits, taken: int) -> None:
    """Each limit by itself, on the six."""
    assert sum(fits(limits, geometry) for geometry in FIXED) == taken


def test_a_stopwatch_ends_with_the_gates_time() -> None:
    """Nobody waits for a process that has no time left, and closing one that never began is nothing."""
    stopwatch = Stopwatch("masked_grid", "masked_grid")
    stopwatch.close()
    with pytest.raises(EngineError, match="the process ended"):
        stopwatch.pairs(0.0)
    stopwatch.close()


def test_without_a_gpu_the_stopwatch_says_what_is_missing() -> None:
    """The error of the process that times."""
    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    stopwatch = Stopwatch("masked_grid", "masked_grid")
    with pytest.raises(EngineError, match="torch sees no CUDA device"):
        stopwatch.pairs(60.0)
    stopwatch.close()
