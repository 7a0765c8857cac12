"""Every generation of the page-clearing kernel, as upstream went through them, and our own.

A generation is the planner rule of its time (which numbers of a segment table it read, and which it
took for granted), the meta tuple that it kept, and the kernel. Each module has the same three names:

* ``plan(table, device)`` gives the meta tuple, or None for a table without segments;
* ``kernel`` is the Triton kernel;
* ``launch(meta, ids, kernel)`` clears the blocks whose ids stand in an int64 device tensor.

``checked(meta, ids)``, where there is one, gives the ids as an array or raises; it is asked first.

The faults of upstream's generations are kept on purpose and named in their docstrings.
"""

from kvzero.generations import (
    block_stride,
    chunk_list,
    ids_on_z,
    masked_grid,
    page_buckets,
    page_table,
    uniform_page,
)

BY_NAME = {
    "uniform_page": uniform_page,
    "page_table": page_table,
    "page_buckets": page_buckets,
    "block_stride": block_stride,
    "ids_on_z": ids_on_z,
    "masked_grid": masked_grid,
    "chunk_list": chunk_list,
}

BY_META_LENGTH = {4: uniform_page, 5: page_table, 6: masked_grid}
"""Which generation a bare meta tuple belongs to; the others are reached by name only."""
