#!/usr/bin/env -S python3 -P
"""Atheris on harness launches: fuzz_launches.py [-libFuzzer-option=value ...] FOLDER..."""

from __future__ import annotations

from fuzz.harnesses.atheris_loop import loop

if __name__ == "__main__":
    loop("launches")
