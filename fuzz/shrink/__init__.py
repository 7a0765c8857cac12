"""Making a find small: structure first, then numbers, never leaving its bucket.

``shrink(case, ...)`` deletes segments, calls and ids on the case itself, then hands its numbers to
Hypothesis. Launch limits have a way of their own, because there only counts matter and a grid can
be judged without running it. What kills or hangs a worker gets eight runs.
"""

from fuzz.shrink.shrinker import shrink
from fuzz.shrink.trial import Shrunk

__all__ = ["Shrunk", "shrink"]
