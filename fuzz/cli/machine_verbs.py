"""Verbs on the machine: which targets there are, and what can run here."""

from __future__ import annotations

import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, entry_points, version

from fuzz import corpus as corpora
from fuzz.targets import BUILT_IN, GROUP

PACKAGES = ("kvzero", "torch", "triton", "numpy", "hypothesis", "msgspec", "pytest")

_PROBE = """
import torch
if torch.cuda.is_available():
    name = torch.cuda.get_device_name()
    free, total = torch.cuda.mem_get_info()
    print(f"cuda: yes, {name}, {total / 2**30:.0f} GiB, {free / 2**30:.0f} free")
else:
    build = torch.version.cuda or torch.version.hip
    print("cuda: no, this torch", f"for {build} sees no device" if build else "is a CPU build")
"""


def targets() -> None:
    """Name the built-in targets and those that installed packages offer.

    Example: kvzero targets
    """
    for name, words in BUILT_IN.items():
        sys.stdout.write(f"{name:14} {words}\n")
    for point in entry_points(group=GROUP):
        sys.stdout.write(f"{point.name:14} entry point {point.value}\n")


def doctor() -> None:
    """Say what this machine can run, and why not more.

    Example: kvzero doctor
    """
    sys.stdout.write(f"python: {platform.python_version()} on {platform.system()}\n")
    for package in PACKAGES:
        sys.stdout.write(f"{package}: {_version(package)}\n")
    probe = subprocess.run([sys.executable, "-c", _PROBE], capture_output=True, text=True, timeout=300, check=False)
    lines = probe.stderr.strip().splitlines()
    sys.stdout.write(probe.stdout or f"cuda: no, importing torch failed: {lines[-1] if lines else 'no reason given'}\n")
    sys.stdout.write("interpreter: yes, about a millisecond a program; larger launches are judged by their grid\n")
    shipped = corpora.shipped()
    sys.stdout.write(f"corpus: {sum(1 for _ in corpora.entries(shipped, corpora.KEPT))} cases in {shipped}\n")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
