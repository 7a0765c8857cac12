"""Planners as upstream had them, each with the kernel of its time; their faults are kept on purpose.

Each module has ``KERNEL``, a name in ``kvzero.generations.BY_NAME``, and ``plan`` with the arguments of the
older constructor form, which gives a segment table. Today's is :mod:`kvzero.planner`.
"""

from kvzero.planners import block_stride_planner, first_planner

BY_NAME = {"first_planner": first_planner, "block_stride_planner": block_stride_planner}
