"""Clear KV-cache pages on a GPU: the segment table, the zeroer and every generation of its kernel.

This package is usable on its own. Importing it costs NumPy alone; torch and Triton come in with
``kvzero.zeroer`` and ``kvzero.generations``.
"""

from kvzero.segments import DeviceTable, Limits, SegmentTable

__all__ = ["DeviceTable", "Limits", "SegmentTable"]
