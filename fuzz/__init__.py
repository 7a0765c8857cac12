"""Everything that searches, runs, shrinks, keeps and reports.

The way of one case, with no way back: source, build, case, arena, engine with the target, image,
oracles, verdict, triage, then shrink and corpus for a find, events, reports. The process that the
user started holds the two ends; arena, engine and oracles run in a spawned worker.
"""
