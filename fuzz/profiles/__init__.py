"""The shapes of cases that the search draws: one file a profile.

Each has ``build(source, unit)`` and, right below it, ``trace(case, unit)``, its inverse: the choices
that make ``build`` draw the case again. ``NAME`` is drawn from device limits and round numbers alone,
never from a target's constants or a geometry of the past.
"""

from fuzz.profiles import far, hostile, launch, small

BY_NAME = {"small": small, "launch": launch, "far": far, "hostile": hostile}

DEFAULT = ("small", "launch", "far")
