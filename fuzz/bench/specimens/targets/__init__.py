"""The faulty code itself; only a worker imports it, for it needs torch and Triton.

``LIMITS`` keep a specimen whose fault is one of bytes away from grids that a launcher would refuse, so that it has one
fault and not two.
"""

from kvzero.segments import Limits

LIMITS = Limits(ids=2048, segments=1024)
"""With chunks of 1,024 bytes and pages of half a megabyte, the widest that profiles draw, still below 2^31 programs."""
