"""Health of GPUs, from what nvidia-smi and the kernel log say; both are written here."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fuzz import gpu_health
from fuzz.gpu_health import Gpu, health
from fuzz.xids import Xid, xids

BUSY = (
    "NVIDIA H200, GPU-6b1d0c1e, 580.95.05, 00000000:3B:00.0, 1024, 143771, 61, 97, 0, 0x0000000000000024\n"
    "NVIDIA H200, GPU-0f3a77aa, 580.95.05, 00000000:5D:00.0, 0, 143771, 33, 0, 2, 0x0000000000000001\n"
)
SILENT = "Tesla T4, GPU-1, [N/A], 00000000:00:04.0, [Unknown Error], 15360, N/A, [Not Supported], [N/A], [N/A]\n"
NOWHERE = Path("/no/such/log")
LOG = """\
6,1,1000000,-;Linux version 6.8
4,2,2000000,-;NVRM: Xid (PCI:0000:3b:00): 31, pid=4242, name=python, Ch 00000008, MMU Fault: ENGINE GRAPHICS
 SUBSYSTEM=pci
 DEVICE=+pci:0000:3b:00.0
4,3,3000000,c;NVRM: Xid (PCI:0000:5d:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
4,4,3500000,-;NVRM: GPU 0000:5d:00.0: GPU has fallen off the bus.
4,5,4000000,-;NVRM: Xid (0000:5d:00): 999
4,x,y;NVRM: Xid (PCI:0000:5d:00): 13, no time
"""


@pytest.fixture
def says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Put an nvidia-smi of this shell script on an otherwise empty PATH."""

    def put(script: str) -> None:
        fake = tmp_path / "bin" / "nvidia-smi"
        fake.parent.mkdir()
        fake.write_text(f"#!/bin/sh\n{script}\n")
        fake.chmod(0o755)
        monkeypatch.setenv("PATH", str(fake.parent))

    return put


def _printing(text: str) -> str:
    return f"echo '{text.rstrip()}'"


def test_a_line_a_gpu(says: Callable) -> None:
    """Numbers in bytes, degrees and percent; what slows a GPU is in words, and being idle is no reason."""
    says(_printing(BUSY))
    first, second = health(log=NOWHERE).gpus
    assert first == Gpu(
        "NVIDIA H200", "GPU-6b1d0c1e", "580.95.05", "00000000:3B:00.0", 2**30, 143771 * 2**20, 61, 97, 0, 0x24
    )
    assert first.words() == (
        "NVIDIA H200, GPU-6b1d0c1e, at 00000000:3B:00.0, driver 580.95.05, 1.0 of 140.4 GiB used, 61 °C, 97 % busy, "
        "0 uncorrected memory errors, slowed by its power cap and heat, by the driver"
    )
    assert second.words().endswith("33 °C, 0 % busy, 2 uncorrected memory errors, not slowed")


def test_what_a_driver_does_not_tell_is_none(says: Callable) -> None:
    """[N/A], [Not Supported], [Unknown Error] and N/A are no numbers, and are left out of the words."""
    says(_printing(SILENT))
    (gpu,) = health(log=NOWHERE).gpus
    assert gpu == Gpu("Tesla T4", "GPU-1", "unknown", "00000000:00:04.0", None, 15360 * 2**20, None, None, None, None)
    assert gpu.words() == "Tesla T4, GPU-1, at 00000000:00:04.0, driver unknown"


def test_fields_are_asked_for_by_their_older_names_too(says: Callable) -> None:
    """A driver that refuses the new name of a field is asked by the old one."""
    says(
        f'case "$1" in *clocks_event*) echo \'Field "clocks_event_reasons.active" is not a valid field\'; exit 2;; '
        f"esac\n{_printing(SILENT)}"
    )
    assert [gpu.name for gpu in health(log=NOWHERE).gpus] == ["Tesla T4"]


def test_a_warning_beside_the_gpus_is_passed_on(says: Callable) -> None:
    """A line that is no row of fields hides no GPU."""
    says(_printing(BUSY + "WARNING: infoROM is corrupted at gpu 0000:5D:00.0"))
    found = health(log=NOWHERE)
    assert len(found.gpus) == 2
    assert found.words()[2] == "gpu: nvidia-smi: WARNING: infoROM is corrupted at gpu 0000:5D:00.0"


@pytest.mark.parametrize(
    ("script", "trouble"),
    [
        (
            "echo 'NVIDIA-SMI has failed because' >&2; echo 'it found no driver' >&2; exit 9",
            "nvidia-smi: NVIDIA-SMI has failed because it found no driver",
        ),
        ("exit 3", "nvidia-smi: ended with 3"),
        ("echo No devices were found", "nvidia-smi: No devices were found"),
        ("echo a, b, c, d, 1, 2, three, 4, 5, 6", "nvidia-smi: invalid literal for int() with base 0: 'three'"),
    ],
)
def test_an_answer_that_is_none_is_told(says: Callable, script: str, trouble: str) -> None:
    """No GPU is made up, and the reason is what nvidia-smi said."""
    says(script)
    found = health(log=NOWHERE)
    assert (found.gpus, found.trouble) == ([], trouble)
    assert found.words() == [f"gpu: {trouble}"]


def test_one_that_hangs_holds_nobody_up(says: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended with what it started, even if that holds its output open; the trouble is told."""
    says(f"/bin/sleep 60 & echo $! > {tmp_path}/child; wait")
    monkeypatch.setattr(gpu_health, "SECONDS", 0.5)
    begun = time.monotonic()
    found = health(log=NOWHERE)
    assert time.monotonic() - begun < 10
    assert (found.gpus, found.trouble) == ([], "nvidia-smi has not answered in 0.5 s")
    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 5
    while _runs(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(child)


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_without_nvidia_smi_there_is_nothing_to_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a GPU is in order."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert health(log=NOWHERE).words() == []


def test_xids_are_read_from_the_kernel_log(tmp_path: Path) -> None:
    """Only the driver's error lines, with time, place, number and the rest of the line."""
    log = tmp_path / "kmsg"
    log.write_text(LOG)
    started = time.time() - time.monotonic()
    found = xids(log=log)
    assert [(x.bus, x.number) for x in found] == [("0000:3b:00", 31), ("0000:5d:00", 79), ("0000:5d:00", 999)]
    assert [x.seconds - started for x in found] == pytest.approx([2, 3, 4], abs=1)
    assert found[0].text == "pid=4242, name=python, Ch 00000008, MMU Fault: ENGINE GRAPHICS"
    assert [x.number for x in xids(started + 2.5, log)] == [79, 999]


def test_a_log_without_an_end_is_not_waited_for(tmp_path: Path) -> None:
    """Like the kernel's, a pipe that somebody holds open gives what is there."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR)
    try:
        os.write(writer, LOG.encode())
        assert [x.number for x in xids(log=pipe)] == [31, 79, 999]
    finally:
        os.close(writer)


def test_an_xid_says_what_it_means() -> None:
    """Common numbers in words, others with where to look."""
    words = Xid(0.0, "0000:3b:00", 79, "GPU has fallen off the bus.").words()
    assert words.startswith("Xid 79 on 0000:3b:00 at 1970-01-01 00:00:00 UTC: the GPU no longer answers on its bus")
    assert words.endswith("; GPU has fallen off the bus.")
    assert Xid(0.0, "0000:3b:00", 999, "").words().endswith("see NVIDIA's list of Xid errors")


def test_doctor_shows_them(says: Callable) -> None:
    """A line a GPU in the words of the command line."""
    says(_printing(BUSY))
    run = subprocess.run([sys.executable, "-m", "fuzz", "doctor"], capture_output=True, text=True, check=True)
    shown = [line for line in run.stdout.splitlines() if line.startswith("gpu: ")]
    assert [line.split(",")[1] for line in shown[:2]] == [" GPU-6b1d0c1e", " GPU-0f3a77aa"]
