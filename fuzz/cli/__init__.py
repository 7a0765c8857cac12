"""The command line: one file a group of verbs."""

from fuzz.cli.app import main

__all__ = ["main"]
