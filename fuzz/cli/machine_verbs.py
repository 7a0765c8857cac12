"""Verbs on the machine: which targets there are, and what can run here."""

from __future__ import annotations

import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, entry_points, version
from typing import Annotated

import typer

from fuzz import corpus as corpora
from fuzz.adapters import version as vllm
from fuzz.built_in import BUILT_IN
from fuzz.gpu_health import health
from fuzz.locators import CLIENTS, GROUP, check

PACKAGES = ("kvzero", "torch", "triton", "numpy", "hypothesis", "msgspec", "pytest")

_PROBE = """
import torch, triton
if torch.cuda.is_available():
    name = torch.cuda.get_device_name()
    free, total = torch.cuda.mem_get_info()
    print(f"cuda: yes, {name}, {total / 2**30:.0f} GiB, {free / 2**30:.0f} free")
else:
    build = torch.version.cuda or torch.version.hip
    print("cuda: no, this torch", f"for {build} sees no device" if build else "is a CPU build")
print("simulator: yes, launches of up to some million programs")
print("interpreter: yes, about a millisecond a program; larger launches are judged by their grid")
"""

PROBE_SECONDS = 300


def targets() -> None:
    """Name the built-in targets, those of vLLM, and those that installed packages offer.

    Example: kvzero targets
    """
    for name, words in BUILT_IN.items():
        sys.stdout.write(f"{name:20} {words}\n")
    for name, words in CLIENTS.items():
        sys.stdout.write(f"{name:20} {words}: {vllm.in_words()}\n")
    for point in entry_points(group=GROUP):
        sys.stdout.write(f"{point.name:20} entry point {point.value}\n")
    for point in entry_points(group=GROUP):
        sys.stdout.write(f"{point.name:20} entry point {point.value}\n")


def doctor(
    kernel: Annotated[
        str | None, typer.Option(help="A target: compile its kernels for CUDA 9.0 and gfx942, and show their stores.")
    ] = None,
) -> None:
    """Say what this machine can run, and why not more.

    Example: kvzero doctor --kernel my_kernel.py:zeroer
    """
    if kernel is not None:
        check(kernel)
        raise typer.Exit(
            subprocess.run(
                [sys.executable, "-m", "fuzz.kernel_report", kernel], timeout=PROBE_SECONDS, check=False
            ).returncode
        )
    sys.stdout.write(f"python: {platform.python_version()} on {platform.system()}\n")
    for package in PACKAGES:
        sys.stdout.write(f"{package}: {_version(package)}\n")
    sys.stdout.write(f"vllm: {vllm.in_words()}\n")
    sys.stdout.write(_engines())
    for line in health().words():
        sys.stdout.write(line + "\n")
    shipped = corpora.shipped()
    sys.stdout.write(f"corpus: {sum(1 for _ in corpora.entries(shipped, corpora.KEPT))} cases in {shipped}\n")


def _engines() -> str:
    """What the engines' packages can do here, asked in a process of its own: torch stays out of this one."""
    try:
        probe = subprocess.run(
            [sys.executable, "-c", _PROBE], capture_output=True, text=True, timeout=PROBE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"cuda, simulator, interpreter: no, importing torch takes more than {PROBE_SECONDS} s\n"
    if probe.returncode == 0:
        return probe.stdout
    lines = probe.stderr.strip().splitlines()
    return f"cuda, simulator, interpreter: no, {lines[-1] if lines else 'importing torch and triton failed'}\n"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
