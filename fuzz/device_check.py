"""Poison of an arena of gigabytes, and whether each of its bytes is as it has to be, on the device that holds it.

The check knows the bytes that must be zero as sorted edges, where they begin and end by turns, and
nothing else: no segment, no id, no chunk. Poison is a function of the place alone, so that it is held
nowhere: for each 32-bit word a pattern within a patch, xored with a hash of the patch's number. Each byte of it is
odd, so never zero. :func:`words` is the same function in NumPy, against which samples are audited.
"""

from __future__ import annotations

import numpy as np
import torch

from fuzz import check_kernels as kernels
from fuzz.engines.launch_hook import unseen

WORD = 4
"""Bytes of a word."""

TILE = 2**14
"""Bytes of a tile: one program, one flag, and what is read back if it is flagged."""

WARPS = 16
"""Warps of a program: 8 words a thread of a usual tile, for which 32 registers do, so that all of a device's threads
can wait for memory at once."""


def words(places: np.ndarray) -> np.ndarray:
    """The poison of words, uint32, by their places in the image, int64 of any shape."""
    made = _pattern(places % kernels.PATCH.value)
    made ^= _hash(places // kernels.PATCH.value)
    return made


def poison_of(tiles: np.ndarray, tile: int) -> np.ndarray:
    """The poison of tiles of ``tile`` bytes by their numbers, int64 ``[n]``: uint8 ``[n * tile]``."""
    count = tile // WORD
    firsts = tiles * count
    within = (firsts % kernels.PATCH.value)[:, None] + np.arange(count)
    made = _pattern(within)
    made ^= _hash(firsts // kernels.PATCH.value)[:, None]
    return made.view(np.uint8).ravel()


def lay(memory: torch.Tensor, tile: int = TILE) -> None:
    """Poison memory, uint8 ``[n]`` of whole tiles of ``tile`` bytes, in order of the current stream."""
    places = memory.view(torch.int32)
    with unseen():
        kernels.lay[(len(memory) // tile,)](places, TILE=tile // WORD, num_warps=WARPS)


def flagged(memory: torch.Tensor, size: int, edges: np.ndarray, tile: int = TILE) -> np.ndarray:
    """The numbers of the tiles in which a byte is not as it has to be, int64, ascending.

    Args:
        memory: the image, uint8 ``[n]`` of whole tiles.
        size: bytes of it that count, in whole words.
        edges: where zero begins and ends by turns, int64, strictly ascending, in bytes.
        tile: bytes of a tile: a power of two, at most a patch.
    """
    tiles = len(memory) // tile
    ends = torch.from_numpy(np.ascontiguousarray(edges)).to(memory.device)
    starts = torch.arange(0, (tiles + 1) * tile, tile, device=memory.device)
    before = torch.searchsorted(ends, starts, right=True, out_int32=True)
    del starts
    flags = torch.empty(tiles, dtype=torch.int8, device=memory.device)
    splits_words = bool(np.any(edges % WORD))
    with unseen():
        kernels.check[(tiles,)](
            memory.view(torch.int32),
            ends,
            before,
            flags,
            size // WORD,
            TILE=tile // WORD,
            SPLITS_WORDS=splits_words,
            num_warps=WARPS,
        )
    numbers: np.ndarray = flags.nonzero().ravel().cpu().numpy()
    return numbers


def _hash(patches: np.ndarray) -> np.ndarray:
    """What is xored to all words of a patch."""
    mixed: np.ndarray = patches.astype(np.uint32)
    mixed ^= mixed >> np.uint32(16)
    mixed *= np.uint32(kernels.FIRST.value)
    mixed ^= mixed >> np.uint32(13)
    mixed *= np.uint32(kernels.SECOND.value)
    mixed ^= mixed >> np.uint32(16)
    mixed &= np.uint32(kernels.REST.value)
    return mixed


def _pattern(within: np.ndarray) -> np.ndarray:
    """What words have of their places in a patch."""
    made: np.ndarray = within.astype(np.uint32)
    made *= np.uint32(kernels.STEP.value)
    made ^= made >> np.uint32(kernels.FOLD.value)
    made |= np.uint32(kernels.ODD.value)
    return made
