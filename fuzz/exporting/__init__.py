"""A find as one script of torch and Triton, for people who do not have kvzero."""

from fuzz.exporting.script import script

__all__ = ["script"]
