"""Mutants that no legal case can tell from their original, each with a proof; and those that none of ours tells yet."""

from __future__ import annotations

from typing import NamedTuple


class Ruling(NamedTuple):
    """Why a mutant is let off, beside the line that it changes: numbers shift with a source, proofs must not."""

    line: str
    proof: str


_IDLE = "a program with first == page has no lane below page, so the mask stores nothing for it"
_WIDTH = (
    "a width below 1,024 is at least the widest page, so there is one chunk as before, and the mask cuts it off where "
    "the page ends"
)
_EXACT_GRID = "the grid has n_blocks * n_segs * max_chunks programs, so a program's block_index is below n_blocks"
_ONE_PLACE = (
    "a dimension of one place adds (1 - 1) * stride to a run, or repeats it at offset 0 alone: the bytes stay the same"
)
_LONE = (
    "there is one kernel block, so ratio is 1, block 0 is the only block and a multiple of the stride is never added; "
    "where addresses meet, strides are not compared for it"
)
_LEAST = "a run is an element at least, and a multiple of 4 bytes, so the maximum is the run itself"

EQUIVALENT: dict[str, Ruling] = {
    "masked_grid/compare-off-by-one/1": Ruling("if first >= page:", _IDLE),
    "masked_grid/early-return-lost/1": Ruling(
        "if first >= page:", "what lies at or past page is cut off by the mask of the store as well"
    ),
    "masked_grid/int32-for-int64/1": Ruling(
        "first = tl.program_id(2).to(tl.int64) * BLOCK_SIZE",
        (
            "z has 65,535 chunks of 1,024 elements at most, so the first column lies below 2^26; a longer grid "
            "is refused"
        ),
    ),
    "masked_grid/constant-off/5": Ruling("chunk = min(1 << (widest - 1).bit_length(), MAX_CHUNK)", _WIDTH),
    "masked_grid/constant-off/8": Ruling("chunk = min(1 << (widest - 1).bit_length(), MAX_CHUNK)", _WIDTH),
    "block_stride/compare-off-by-one/1": Ruling("if block_index >= n_blocks:", _EXACT_GRID),
    "block_stride/early-return-lost/1": Ruling("if block_index >= n_blocks:", _EXACT_GRID),
    "block_stride/floor-for-ceil/2": Ruling(
        "seg = (pid // max_chunks) % n_segs",
        (
            "chunk 0 stays with its segment and all others go to the next one in turn; chunk and block are "
            "counted apart, "
            "so over the programs of a block each pair of segment and chunk still comes once"
        ),
    ),
    "block_stride/floor-for-ceil/3": Ruling(
        "if chunk >= page // BLOCK_SIZE:", "the chunk is a power of two that divides every page, so there is no rest"
    ),
    "planner/compare-off-by-one/3": Ruling("if dim != self.block_dim and self.tensor.shape[dim] > 1", _ONE_PLACE),
    "planner/early-return-lost/11": Ruling("if dim != self.block_dim and self.tensor.shape[dim] > 1", _ONE_PLACE),
    "planner/constant-off/26": Ruling("if dim != self.block_dim and self.tensor.shape[dim] > 1", _ONE_PLACE),
    "planner/stride-for-page/3": Ruling(
        "step = stride = max(step, run)  # of one block, a tensor's stride says nothing", _LONE
    ),
    "planner/stride-for-page/4": Ruling(
        "step = stride = max(step, run)  # of one block, a tensor's stride says nothing", _LONE
    ),
    "planner/constant-off/9": Ruling("known, page = found.get(address, (stride, 0))", _LEAST),
    "planner/constant-off/10": Ruling("known, page = found.get(address, (stride, 0))", _LEAST),
    "planner/constant-off/11": Ruling(
        "columns = np.array(rows, np.int64).reshape(-1, 3).T.copy()",
        "NumPy works out a dimension for any negative number, not for -1 alone",
    ),
    "planner/constant-off/22": Ruling(
        "for size, stride in sorted(view.dims(), key=lambda dim: dim[1]):",
        (
            "the order decides how much becomes one run and how much is repeated; the content's stride is its "
            "element, so "
            "it joins the run whenever its turn comes, and run times repetitions are the same bytes"
        ),
    ),
    "chunk_list/compare-off-by-one/4": Ruling(
        "return np.unique(found) if len(found) > MOST_PROGRAMS else found",
        "at 65,535 ids repeats are dropped too, and clearing again changes nothing",
    ),
    "chunk_list/int32-for-int64/1": Ruling(
        "for chunk in range(tl.program_id(1).to(tl.int64), n_chunks, tl.num_programs(1)):",
        ("a table has 2^20 segments at most and 65,535 chunks more, so three times a chunk's number fits in 32 bits"),
    ),
    "chunk_list/int32-for-int64/2": Ruling(
        "for index in range(tl.program_id(0).to(tl.int64), n_ids, tl.num_programs(0)):",
        "a call has 2^24 ids at most; a step of 2^20 past them fits in 32 bits",
    ),
    "chunk_list/floor-for-ceil/1": Ruling(
        "return min(-(-ids // IDS_A_PROGRAM), most // down), down",
        "IDS_A_PROGRAM is 1, and a number divided by 1 leaves no rest",
    ),
    "chunk_list/constant-off/24": Ruling(
        "first = (start + 15) & -16",
        ("an aligned start has 16 bytes in front of first instead of none, which are what the 16 lanes in front store"),
    ),
}
"""By name. ``kvzero bench finders --equivalents`` holds each against its original on 10,000 cases."""

_NO_SUCH_LAYOUT = (
    "a layout case has a kernel block size for each group, and binds Mamba states as a tuple, which the next line "
    "leaves out"
)

_AGAIN = (
    "every chunk still has a program that begins with it, and others clear it again; only tens of "
    "thousands of segments "
    "make that slow enough to show"
)

UNTOLD: dict[str, Ruling] = {
    "chunk_list/constant-off/9": Ruling(
        "for chunk in range(tl.program_id(1).to(tl.int64), n_chunks, tl.num_programs(1)):", _AGAIN
    ),
    "chunk_list/constant-off/10": Ruling(
        "for chunk in range(tl.program_id(1).to(tl.int64), n_chunks, tl.num_programs(1)):", _AGAIN
    ),
    "planner/compare-off-by-one/1": Ruling("if number >= len(sizes):", _NO_SUCH_LAYOUT),
    "planner/early-return-lost/1": Ruling("if not is_attention(group.kv_cache_spec):", _NO_SUCH_LAYOUT),
    "planner/early-return-lost/2": Ruling("if number >= len(sizes):", _NO_SUCH_LAYOUT),
    "block_stride/int32-for-int64/3": Ruling(
        "offset = block * stride + chunk.to(tl.int64) * BLOCK_SIZE",
        "only a page of 8 GB has a column past 2^31; pages drawn end at 2^29 bytes",
    ),
}
"""Not equivalent, but no profile draws a case that tells: a full run counts them as missed, a quick one has none."""
