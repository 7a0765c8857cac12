"""Everything that searches, runs, shrinks, keeps and reports.

The way of one case, with no way back: source, build, case, arena, engine with the target, image,
oracles, verdict, triage, then shrink and corpus for a find, events, reports. The process that the
user started holds the two ends; arena, engine and oracles run in a spawned worker.
"""

from importlib import metadata


def version() -> str:
    """Ours, or a word for it where the code runs from a folder that was never installed."""
    try:
        return metadata.version("kvzero")
    except metadata.PackageNotFoundError:
        return "of unknown version"
