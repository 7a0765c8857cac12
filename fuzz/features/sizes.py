"""Classes of sizes: remainders, powers of two, strides, alignments, and where 32 bits end."""

from __future__ import annotations

from functools import lru_cache

from fuzz.case import ALIGNMENT, WIDE_STRIDE
from fuzz.layers import WORD

Feature = tuple[str, int | str]

LINE = 128
"""Bytes of a cache line: padding below it is little, from it on much."""

EDGES = ((2**31, "<2^31"), (2**32, "<2^32"), (2**33, "<2^33"))
"""Where offsets stop to fit: 32 bits with a sign, 32 bits without, and 2^31 elements of four bytes."""

BEYOND = ">=2^33"

KEPT = 2**12
"""Sizes whose features are kept; a profile's pages and strides are a few thousand, and come up again and again."""


@lru_cache(KEPT)
def of_shape(page: int, stride: int) -> tuple[Feature, ...]:
    """Remainders of a page, its place among powers of two, and what its stride leaves behind it."""
    return (
        ("page%4", page % WORD),
        ("page%16", -(-(page % 16) // WORD)),
        ("page%128", -(-(page % LINE) // 16)),
        ("page~", _beside_power(page)),
        ("stride", _stride(page, stride)),
    )


@lru_cache(KEPT)
def of_base(base: int) -> tuple[Feature, ...]:
    """What a base is aligned to, up to the arena's own alignment, and on which side of 32 bits it lies."""
    aligned = min(base & -base, ALIGNMENT) if base else ALIGNMENT
    return ("base%", aligned), ("base", "negative" if base < 0 else against_edges(base) if base else "0")


def _beside_power(page: int) -> str:
    """A power of two, up to a word more or less than one, or between two of them."""
    power = page.bit_length() - 1
    over, under = page - (1 << power), (2 << power) - page
    if not over:
        return f"2^{power}"
    if min(over, under) > WORD:
        return f"2^{power}.."
    return f"2^{power}+" if over <= under else f"2^{power + 1}-"


def _stride(page: int, stride: int) -> str:
    padding = stride - page
    if padding <= 0:
        return "short" if padding else "packed"
    if stride >= WIDE_STRIDE:
        return "huge"
    return "padded little" if padding < LINE else "padded much"


def against_edges(offset: int) -> str:
    """Which offsets hold it: of 32 bits, signed or not, or of so many elements."""
    return next((words for edge, words in EDGES if offset < edge), BEYOND)


def against_product(product: int) -> str:
    """How a launcher's 32 bits take a count of programs."""
    if product < 2**31:
        return "<2^31"
    low = product % 2**32
    return "0 in 32 bits" if not low else "negative in 32 bits" if low >= 2**31 else "small in 32 bits"
