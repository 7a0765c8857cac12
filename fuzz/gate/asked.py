"""What a gate was asked, as its receipt keeps it, and what another one was asked beyond that."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence

import msgspec

from fuzz.codec import encode
from fuzz.corpus import Entry
from fuzz.gate.request import Request, Sizes


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a gate was asked; a receipt holds for the same and for less.

    Attributes:
        contents: hashes of what target and base are made of, the target's first.
        corpus: hash of the cases that had to pass.
        sizes: cases of each check on a GPU, as mode, time and a limit on cost decide them.
        strict: whether hostile input that is taken blocked.
        corpus_only: whether nothing but the corpus was run.
        cost_limit: per cent that the target might cost more than the base, or None.
        sanitize: whether the corpus was run below compute-sanitizer as well.
    """

    contents: tuple[str, ...]
    corpus: str
    sizes: Sizes
    strict: bool
    corpus_only: bool
    cost_limit: float | None
    sanitize: bool

    def beside(self, there: Asked, request: Request) -> Asked:
        """The same, to be held against what a receipt's gate was asked.

        A limit on cost takes of a gate's time, so of its cases. Where only the receipt's gate had one, this one's are
        counted as if it had the same.

        Args:
            there: what the receipt's gate was asked.
            request: of this gate.
        """
        if self.cost_limit is not None:
            return self
        limited = dataclasses.replace(request, cost_limit=there.cost_limit)
        return msgspec.structs.replace(self, sizes=limited.sizes_on("cuda"))


def of_request(request: Request, contents: Sequence[str], files: Sequence[Entry]) -> Asked:
    """What a request asks.

    Args:
        request: of the gate.
        contents: hashes of what target and base are made of, the target's first.
        files: cases that must pass.
    """
    return Asked(
        tuple(contents),
        of_corpus(files),
        request.sizes_on("cuda"),
        request.strict,
        request.corpus_only,
        request.cost_limit,
        request.sanitize,
    )


def of_corpus(files: Sequence[Entry]) -> str:
    """The hash of cases, wherever they lie."""
    digest = hashlib.sha256()
    for text in sorted(encode(entry.case) for entry in files):
        digest.update(f"{text}\0".encode())
    return digest.hexdigest()


def less(there: Asked, here: Asked) -> str:
    """What a receipt's gate was not asked, in words; empty if it was asked as much.

    Args:
        there: what the receipt's gate was asked.
        here: what this one is, `Asked.beside` it.
    """
    if there.corpus_only and not here.corpus_only:
        return "of the corpus only"
    for check, fewer, asked in zip(Sizes._fields, there.sizes, here.sizes, strict=True):
        if fewer < asked:
            return f"of {fewer} cases of {check}, and --mode and --seconds here ask for {asked}"
    if here.cost_limit is not None and (there.cost_limit is None or there.cost_limit > here.cost_limit):
        if there.cost_limit is None:
            return "without --cost-limit"
        return f"with --cost-limit {there.cost_limit:g}, and {here.cost_limit:g} is asked"
    left_out = [name for name in ("strict", "sanitize") if getattr(here, name) and not getattr(there, name)]
    return f"without --{left_out[0]}" if left_out else ""
