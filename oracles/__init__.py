"""What must be true after a case ran, from base, stride, page and ids alone.

NumPy and the standard library only. Nothing here knows chunks, grids of a kernel's making or its
index arithmetic: an oracle that shared them would share their mistakes.
"""
