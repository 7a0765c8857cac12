"""Every verb as a user types it: exit codes, words, and what is left on disk."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fuzz import codec, corpus, flight
from tests.conftest import ROOT, planted
from tests.unit.test_codec import TEXT

HISTORY = ROOT / "corpus" / "history"


def _history(words: str) -> str:
    (path,) = HISTORY.glob(f"{words}-????????.json")
    return str(path)


PADDED = _history("a-page-cleared-as-wide-as-its-block-stride")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("fuzz", "--target", "no_such"), "target='no_such': no built-in target of that name"),
        (("fuzz", "--target", "no/file.py:zeroer"), "there is no file no/file.py"),
        (("fuzz", "--target", planted("nothing_here")), "has no nothing_here"),
        (("fuzz", "--target", planted("not_callable")), "is a int, not callable"),
        (("fuzz", "--target", "no_such_module:zeroer"), "No module named 'no_such_module'"),
        (("fuzz", "--target", "raises.py:zeroer"), "importing raises.py raised ZeroDivisionError"),
        (("fuzz", "--target", "leaves.py:zeroer"), "importing leaves.py raised SystemExit"),
        (("fuzz", "--cases", "0"), "cases=0: must be 1 or more"),
        (("fuzz", "--cases", "-3"), "cases=-3: must be 1 or more"),
        (("fuzz", "--seconds", "0"), "seconds=0: must be more than 0"),
        (("fuzz", "--seconds", "nan"), "seconds=nan: must be more than 0"),
        (("fuzz", "--seconds", "inf"), "seconds=inf: must be more than 0 and at most 31536000, a year"),
        (("fuzz", "--hours", "inf"), "seconds=inf: must be more than 0 and at most"),
        (("fuzz", "--hours", "8761"), "seconds=31539600: must be more than 0 and at most 31536000"),
        (("fuzz", "--seconds", "5", "--hours", "1"), "give one of them"),
        (("fuzz", "--profile", "tiny"), "profile='tiny': must be one of small, launch, far, hostile, layout"),
        (("fuzz", "--profile", "layout", "--target", "masked_grid"), "target masked_grid takes a table; its profiles"),
        (("fuzz", "--profile", "small", "--target", "first_planner"), "target first_planner takes a layout"),
        (("fuzz", "--target", "masked_grid", "--target", "KVBlockZeroer"), "target KVBlockZeroer takes a layout"),
        (("fuzz", "--target", "takes.py:zeroer"), "takes='list': must be one of table, layout"),
        (("fuzz", "--engine", "abacus"), "engine='abacus': must be one of"),
        (("fuzz", "--device-profile", "tpu"), "device_profile='tpu': must be one of h200"),
        (("fuzz", "--corpus", "raises.py"), "corpus=raises.py: is a file"),
        (("fuzz", "--seed", "x"), "Invalid value for '--seed'"),
        (("fuzz", "--no-such-flag"), "No such option"),
        (("replay", "cut.json"), "cut.json: Input data was truncated"),
        (("replay", "list.json"), "list.json: Expected `object`, got `array`"),
        (("replay", "missing.json"), "missing.json: No such file"),
        (("replay", "."), ".: is no regular file"),
        (("fuzz", "--target", "dies.py:zeroer"), "target=dies.py:zeroer: importing it ended the worker with 3"),
        (("fuzz", "--target", "units.py:zeroer"), "unit='16': must be a power of two"),
        (("fuzz", "--seed", str(2**70)), "Invalid value for '--seed'"),
        (("corpus", "check", "--corpus", "nowhere"), "corpus=nowhere: there is no such folder"),
        (("corpus", "check", "--corpus", "."), "corpus=.: no case in history, regressions, crashing"),
        (("corpus", "accept", PADDED), "can be accepted"),
        (("export", PADDED), "choose one with --target"),
    ],
)  # fmt: skip
def test_bad_input_exits_with_2_and_writes_nothing(
    kvzero: Callable, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    """The message names field, value and rule; there is no traceback, and no find or folder is left."""
    (tmp_path / "raises.py").write_text("1 / 0\n")
    (tmp_path / "dies.py").write_text("import os\nos._exit(3)\n")
    (tmp_path / "units.py").write_text("from kvzero import Limits\nLimits(unit='16')\n")
    (tmp_path / "takes.py").write_text("def zeroer(layout, device): ...\nzeroer.takes = 'list'\n")
    (tmp_path / "leaves.py").write_text("raise SystemExit(0)\n")
    (tmp_path / "cut.json").write_text(TEXT[:60])
    (tmp_path / "list.json").write_text("[]")
    run = kvzero(*arguments)
    assert run.returncode == 2, run.stderr
    assert words in run.stderr.replace("\n", " ").replace("│", "")
    assert "Traceback" not in run.stderr
    assert run.stdout == ""
    assert not list(tmp_path.rglob("*/crashing/*"))


@pytest.mark.skipif(Path("/dev/nvidia0").exists(), reason="there is a GPU")
@pytest.mark.parametrize("verb", [("fuzz",), ("replay", PADDED)])
def test_a_missing_gpu_is_not_success(kvzero: Callable, verb: tuple[str, ...]) -> None:
    """--engine cuda without a GPU exits with 3 and says what to do."""
    run = kvzero(*verb, "--engine", "cuda")
    assert run.returncode == 3
    assert "engine=cuda: torch sees no CUDA device" in run.stderr
    assert "--engine simulator" in run.stderr


def test_known_finds_do_not_fail_a_run(kvzero: Callable) -> None:
    """masked_grid's launch limits are known: exit 0 with counts; with --no-known exit 1."""
    common = ("fuzz", "--profile", "launch", "--seed", "1", "--cases", "150", "--engine", "simulator", "--json")
    run = kvzero(*common, "--corpus", "a")
    assert run.returncode == 0, run.stderr
    known = {find["bucket"]: find["count"] for find in json.loads(run.stdout)["finds"] if find["known"]}
    assert known.keys() == {"masked_grid@h200 rejected:launch-y", "masked_grid@h200 skipped:product"}
    assert min(known.values()) > 0
    assert kvzero(*common, "--corpus", "b", "--no-known", "--cases", "40").returncode == 1


def test_nothing_proved_is_not_clean(kvzero: Callable) -> None:
    """A run whose every case is beyond the engine exits with 3."""
    run = kvzero("fuzz", "--profile", "launch", "--seed", "4", "--cases", "1", "--target", "block_stride",
                 "--engine", "simulator", "--corpus", "c", "--json")  # fmt: skip
    assert run.returncode == 3, run.stderr
    report = json.loads(run.stdout)
    assert (report["attempted"], report["unproved"]) == (1, 1)
    assert run.returncode == 3


def test_hostile_input_fails_a_run_only_where_it_was_asked_for(kvzero: Callable) -> None:
    """index_fill refuses hostile input; masked_grid takes it, and --profile hostile says so."""
    common = ("fuzz", "--profile", "hostile", "--cases", "30", "--seed", "1", "--no-known", "--corpus", "c",
              "--engine", "simulator")  # fmt: skip
    taken = kvzero(*common, "--json")
    assert taken.returncode == 1, taken.stderr
    kinds = {find["bucket"].split(" ")[1] for find in json.loads(taken.stdout)["finds"]}
    assert {"accepted:negative-id", "accepted:id-past-blocks", "accepted:float-id", "accepted:bool-id"} <= kinds
    refused = kvzero(*common, "--target", "index_fill")
    assert refused.returncode == 0, refused.stderr


def test_a_signal_while_a_launch_find_shrinks_ends_in_order(tmp_path: Path) -> None:
    """The report is complete even if the last real run of the shrunk case was cut short."""
    run = subprocess.Popen(
        [sys.executable, "-m", "fuzz", "fuzz", "--target", "masked_grid", "--profile", "launch", "--no-known",
         "--hours", "1", "--seed", "1", "--corpus", "c", "--engine", "simulator", "--json"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        for line in run.stderr:
            if line.startswith("find: "):
                run.send_signal(signal.SIGTERM)
                break
        report = json.loads(run.communicate(timeout=60)[0])
    finally:
        run.kill()
    assert run.returncode == 1
    assert report["stop_reason"] == "signal SIGTERM"
    assert Path(tmp_path, report["finds"][0]["case"]).exists()


def test_readmes_transcript_is_what_a_user_sees(kvzero: Callable) -> None:
    """Each line of the find's paragraph in README comes out of the command above it, in time on a busy machine, too."""
    transcript = (ROOT / "README.md").read_text().split("```\n$ ")[1].split("```")[0].splitlines()
    command = transcript[0].split()
    unhurried = ("--seconds", "60", "--stop-on-find")
    run = kvzero(*command[1:], "--seed", "1", "--engine", "simulator", "--corpus", "corpus", *unhurried)
    said = run.stderr.splitlines()
    for line in transcript[2:]:
        assert line in said


def test_readmes_kernel_is_right(kvzero: Callable, tmp_path: Path) -> None:
    """The target that README shows in full passes a search, bytes and all, and its export runs."""
    text = (ROOT / "README.md").read_text()
    (tmp_path / "my_kernel.py").write_text(text.split("```python\n# my_kernel.py\n")[1].split("```")[0])
    run = kvzero("fuzz", "--target", "my_kernel.py:zeroer", "--cases", "60", "--seed", "1", "--corpus", "c",
                 "--engine", "simulator", "--json")  # fmt: skip
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["finds"] == []
    assert report["passed"] > 15
    assert kvzero("export", PADDED, "--target", "my_kernel.py:zeroer", "-o", "script.py").returncode == 0
    done = subprocess.run(
        [sys.executable, "-I", "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "0 of " in done.stdout) == (0, True), done.stderr


def test_replay_runs_what_the_file_names(kvzero: Callable) -> None:
    """Without --target those of its finds, with it the one asked for; 1 if a finding shows, else 0."""
    run = kvzero("replay", PADDED, "--engine", "simulator", "--json")
    assert run.returncode == 1
    rows = {row["target"]: row["verdict"] for row in json.loads(run.stdout)}
    assert rows == dict.fromkeys(("uniform_page", "page_table", "page_buckets"), "clobbered:padding")
    assert kvzero("replay", PADDED, "--target", "masked_grid", "--engine", "simulator").returncode == 0
    huge = kvzero(
        "replay", _history("a-grid-of-2147210240-programs-runs"), "--target", "masked_grid", "--engine", "simulator"
    )
    assert huge.returncode == 3, "unproved alone is not success"


def test_other_device_profiles_show_their_finds(kvzero: Callable) -> None:
    """Every find that a history file names for another device is shown under that device's limits."""
    seen = 0
    for entry in corpus.entries(ROOT / "corpus", corpus.KEPT):
        elsewhere = {b.target: b for b in corpus.expected(entry.case) if b.device_profile == "mi300x"}
        if elsewhere:
            targets = [word for name in elsewhere for word in ("--target", name)]
            run = kvzero("replay", str(entry.path), *targets, "--device-profile", "mi300x", "--json")
            assert {row["target"]: row["verdict"] for row in json.loads(run.stdout)} == {
                name: bucket.label for name, bucket in elsewhere.items()
            }
            seen += len(elsewhere)
    assert seen >= 10


def test_explain_draws_the_page(kvzero: Callable) -> None:
    """The map shows cleared bytes, the page's end and the clobbered padding behind it."""
    run = kvzero("explain", PADDED, "--target", "page_table", "--engine", "simulator")
    assert "page_table: clobbered:padding" in run.stdout
    assert f"  block      1 {'0' * 63}X|" in run.stdout or f"  block      1 {'0' * 63}|X" in run.stdout
    assert "bytes 2352 to 2368: clobbered, padding" in run.stdout
    assert "features: arena=<2^31, " in run.stdout
    assert "stride=padded little" in run.stdout


def test_shrink_writes_the_smaller_case(kvzero: Callable, tmp_path: Path) -> None:
    """A case from elsewhere is shrunk and kept in crashing/; a passing one is a usage error."""
    run = kvzero("shrink", PADDED, "--target", "page_table", "--corpus", "small", "--engine", "simulator")
    assert run.returncode == 1, run.stderr
    (path,) = (tmp_path / "small" / "crashing").iterdir()
    assert [(s.page, s.stride) for s in codec.read(path).segments] == [(4, 8)]
    fine = kvzero("shrink", PADDED, "--target", "masked_grid", "--corpus", "small", "--engine", "simulator")
    assert fine.returncode == 2
    assert "only a finding can be shrunk" in fine.stderr


@pytest.mark.parametrize(
    ("case", "target", "code", "words"),
    [
        (PADDED, "page_table", 1, "byte 2352: is 0, must be"),
        (PADDED, "page_buckets", 1, "byte 2352: is 0, must be"),
        (PADDED, "masked_grid", 0, "0 of "),
        (PADDED, "index_fill", 0, "0 of "),
        (PADDED, planted("eats_ids"), 1, "the list of ids was changed"),
        (PADDED, planted("low_byte"), 1, "byte 1185: is "),
        (
            _history("glm-5-2-pages-of-10496-and-2112-elements-in-one-group"),
            "uniform_page",
            1,
            "Non-uniform page sizes",
        ),
        (_history("65536-segments"), "ids_on_z", 2, "shows on a GPU only"),
    ],
)
def test_an_exported_script_stands_alone(
    kvzero: Callable, tmp_path: Path, case: str, target: str, code: int, words: str
) -> None:
    """Torch and Triton are enough: kvzero cannot even be imported where it runs."""
    export = kvzero("export", case, "--target", target, "-o", "script.py")
    assert export.returncode == 0, export.stderr
    text = (tmp_path / "script.py").read_text()
    assert "import kvzero" not in text
    assert "from kvzero" not in text
    blocker = (
        "import sys; sys.modules.update(kvzero=None, fuzz=None, oracles=None); "
        "import runpy; runpy.run_path('script.py', run_name='__main__')"
    )
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    run = subprocess.run(
        [sys.executable, "-c", blocker], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment
    )
    assert words in run.stdout, run.stderr
    assert run.returncode == code


def test_accept_keeps_a_find_for_good(kvzero: Callable, tmp_path: Path) -> None:
    """A find moves from crashing/ to regressions/ and is known from then on."""
    (tmp_path / "c" / "crashing").mkdir(parents=True)
    find = tmp_path / "c" / "crashing" / "a-page-cleared-as-wide-as-its-block-stride-d551395f.json"
    find.write_text(TEXT)
    run = kvzero("corpus", "accept", str(find), "--corpus", "c")
    assert run.returncode == 0, run.stderr
    assert not find.exists()
    listing = kvzero("corpus", "list", "--corpus", "c").stdout
    assert "c/regressions/a-page-cleared" in listing
    assert "vllm#50276  page_buckets@h200 clobbered:padding, page_table@h200 clobbered:padding, " in listing
    assert kvzero("corpus", "check", "--corpus", "c").stdout == "1 cases in order\n"


def test_targets_and_doctor_say_what_there_is(kvzero: Callable) -> None:
    """Every built-in target is listed; doctor names versions, engines and why not more."""
    listing = kvzero("targets").stdout
    assert all(name in listing for name in ("uniform_page", "masked_grid", "index_fill"))
    words = kvzero("doctor").stdout
    assert "torch: " in words
    assert "simulator: yes" in words
    assert "interpreter: yes" in words
    assert "cuda: " in words


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_in_order(tmp_path: Path, number: int) -> None:
    """Ctrl-C or TERM: the report is complete, the seed stands in it, finds are on disk, exit by what was found."""
    run = subprocess.Popen(
        [sys.executable, "-m", "fuzz", "fuzz", "--target", planted("lazy"), "--hours", "1", "--seed", "11",
         "--corpus", "c", "--engine", "simulator"],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob("c/crashing/*.json")) and time.monotonic() < deadline:
            time.sleep(0.1)
        run.send_signal(number)
        words = run.communicate(timeout=30)[1]
    finally:
        run.kill()
    assert run.returncode == 1
    assert f"stopped: signal {signal.Signals(number).name}" in words
    assert "seed 11" in words
    assert not list(tmp_path.glob("c/.flight/*.slot"))


def test_kill_9_loses_no_case(kvzero: Callable, tmp_path: Path) -> None:
    """Parent and worker are killed in mid-case; the next start names that case and replays it."""
    run = subprocess.Popen(
        [sys.executable, "-m", "fuzz", "fuzz", "--target", planted("endless"), "--profile", "small", "--hours", "1",
         "--seed", "2", "--corpus", "c", "--engine", "interpreter"],
        cwd=tmp_path, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        stuck = _stuck(tmp_path / "c" / ".flight")
    finally:
        run.kill()
        run.wait()
    again = kvzero("fuzz", "--target", planted("endless"), "--profile", "small", "--cases", "1", "--seed", "1",
                   "--corpus", "c", "--engine", "interpreter", "--stop-on-find")  # fmt: skip
    assert "an earlier run was killed while this case was in flight" in again.stderr
    assert codec.encode(stuck.running[0].case).strip() in again.stderr
    assert "the case in flight: hung" in again.stderr
    assert again.returncode == 1
    assert not list(tmp_path.glob("c/.flight/*.slot"))


def _stuck(slots: Path) -> flight.Flight:
    """The flight of a case from which ``planted:endless`` never comes back: however slow the machine, it is stuck."""
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        for state in filter(None, map(flight.read, slots.glob("*.slot"))):
            case = state.running[0].case if state.running else None
            if case and len(case.segments) == 8 and any(call.ids for call in case.calls):
                return state
        time.sleep(0.1)
    pytest.fail("no case got stuck")


def test_a_corpus_that_cannot_be_written_is_said_at_once(kvzero: Callable, tmp_path: Path) -> None:
    """The find is printed in full, and its text is a case that reads."""
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / ".flight").write_text("")
    (tmp_path / "c" / "crashing").write_text("")
    run = kvzero("fuzz", "--target", planted("lazy"), "--profile", "small", "--seed", "1", "--stop-on-find",
                 "--corpus", "c", "--engine", "simulator")  # fmt: skip
    assert run.returncode == 1
    first, *_ = run.stderr.splitlines()
    assert "finds that cannot be saved will be printed in full" in first
    text = run.stderr[run.stderr.index("\n{") :]
    assert codec.decode(text[: text.index("\n}") + 2]).segments


def test_compiled_kernels_are_counted(kvzero: Callable) -> None:
    """Several for a kernel with a constant that follows the page, at most one for each case; none when interpreted."""
    common = ("fuzz", "--profile", "small", "--seed", "1", "--cases", "20", "--corpus", "c", "--engine")
    counted = re.search(r"kernels compiled: (\d+),", kvzero(*common, "simulator").stderr)
    assert counted is not None
    assert 2 <= int(counted[1]) <= 20
    assert "kernels compiled" not in kvzero(*common, "interpreter").stderr
