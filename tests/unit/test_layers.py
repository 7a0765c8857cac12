"""Who may import whom."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tests.conftest import ROOT

FORBIDDEN = {
    "oracles": {"kvzero", "fuzz", "torch", "triton", "hypothesis"},
    "kvzero": {"oracles", "fuzz", "hypothesis"},
}


def test_every_built_in_generation_is_a_generation() -> None:
    """The names that the command line offers are those that the zeroer has."""
    from fuzz.built_in import GENERATIONS
    from kvzero.generations import BY_NAME

    assert GENERATIONS.keys() == BY_NAME.keys()
    readme = (ROOT / "README.md").read_text()
    assert all(f"`{name}`" in readme for name in GENERATIONS)


@pytest.mark.parametrize("package", FORBIDDEN)
def test_nothing_imports_upward(package: str) -> None:
    """Oracles and the system under test know neither each other nor the harness."""
    for path in (ROOT / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert not {name.split(".")[0] for name in names} & FORBIDDEN[package], path


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import fuzz.cli, fuzz.campaign, fuzz.shrink, fuzz.checking", ["torch", "triton"]),
        ("import kvzero", ["torch", "triton"]),
        ("import oracles.pages, oracles.regions, oracles.launches", ["torch", "triton", "kvzero", "fuzz"]),
        (
            "from fuzz.exporting.bundle import source_of; source_of('kvzero.generations.masked_grid')",
            ["torch", "triton"],
        ),
        ("import fuzz.pytest_plugin", ["torch", "triton", "numpy", "hypothesis", "msgspec", "fuzz.case"]),
    ],
)
def test_light_modules_stay_light(code: str, absent: list[str]) -> None:
    """The parent process of a run never imports torch; the plugin imports nothing heavy."""
    check = f"{code}; import sys; print([m for m in {absent!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
