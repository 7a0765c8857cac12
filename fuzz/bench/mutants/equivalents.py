"""Mutants that no legal case can tell from their original, each with a proof in words."""

from __future__ import annotations

EQUIVALENT: dict[str, str] = {}
"""By name. ``kvzero bench finders --check-equivalents`` holds each against its original on 10,000 cases."""
