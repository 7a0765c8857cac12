"""What the parent process and a worker say to each other."""

from __future__ import annotations

import msgspec

from fuzz import errors
from fuzz.case import Case
from fuzz.codec import packer, unpacker
from fuzz.grids import Grid
from fuzz.verdict import Verdict
from kvzero.segments import Limits

NO_STOP = 2**62
"""The ``stop`` of a batch that time alone ends."""


class Open(msgspec.Struct, frozen=True, tag=True):
    """Load these targets on an engine (None: the best there is) and hold cases in this slot."""

    targets: tuple[str, ...]
    engine: str | None
    device_profile: str | None
    slot: str


class Opened(msgspec.Struct, frozen=True, tag=True):
    """Ready: engine, its device in words, device profile, each target's unit in bytes and what it takes.

    ``gpus`` counts the CUDA devices that the worker may use, 0 where the engine uses none; ``limits`` are
    each target's, ``contents`` the hash of what it is made of, ``files`` the files that it stands in, its own first,
    ``says`` those words of ``fuzz.target.SAYS`` that it says of itself.
    """

    engine: str
    device: str
    device_profile: str
    units: dict[str, int]
    takes: dict[str, str] = {}
    gpus: int = 0
    limits: dict[str, Limits] = {}
    contents: dict[str, str] = {}
    files: dict[str, tuple[str, ...]] = {}
    says: dict[str, tuple[str, ...]] = {}


class Batch(msgspec.Struct, frozen=True, tag=True):
    """Run attempts ``first`` to ``stop``, until ``seconds`` have passed.

    Attempt ``a`` is case ``a // targets`` on target ``a % targets``, so that a run can go on after
    any attempt. Of each case whose number is a multiple of ``tell`` the verdict is sent whatever it is;
    with ``only_told`` no other case is run. ``patience`` replaces the engine's own. With ``alone`` no
    case flies with others. ``pool`` holds kept cases to draw from, encoded; None stands for those of the batch before.
    """

    seed: int
    profiles: tuple[str, ...]
    unit: int
    first: int
    stop: int
    seconds: float
    tell: int = 0
    only_told: bool = False
    patience: float | None = None
    alone: bool = False
    pool: bytes | None = b""


class Found(msgspec.Struct, frozen=True, tag=True):
    """An attempt that ended in a finding or in trouble of ours, or was to be told; sent before it is counted."""

    attempt: int
    target: str
    profile: str
    case: Case
    verdict: Verdict


class BatchDone(msgspec.Struct, frozen=True, tag=True):
    """The batch ended before attempt ``following``.

    With outcomes, unproved cases by profile, compiled kernels that the worker has launched in its
    life, and trouble in words. ``seconds`` tells how long it generated, launched and compared;
    ``memory`` is what the worker holds resident, in bytes; ``grids`` are its largest, by axis.
    """

    following: int
    counts: dict[str, int]
    unproved: dict[str, int] = {}
    compiled: int = 0
    trouble: str = ""
    seconds: dict[str, float] = {}
    memory: int = 0
    grids: dict[str, Grid] = {}


class Try(msgspec.Struct, frozen=True, tag=True):
    """Run one case on one target; a rehearsal runs no legal launch."""

    target: str
    case: Case
    rehearse: bool = False


class Tried(msgspec.Struct, frozen=True, tag=True):
    """The verdict of one case, and the largest grids that it asked for.

    ``warmup`` tells whether the zeroer that was made for it has a warm-up; None if none was made.
    """

    verdict: Verdict
    grids: tuple[Grid, ...] = ()
    warmup: bool | None = None


class Failed(msgspec.Struct, frozen=True, tag=True):
    """A typed error on its way to the parent: class name in ``fuzz.errors``, and its text."""

    kind: str
    text: str

    def error(self) -> errors.KvzeroError:
        """The error to raise."""
        kind: type[errors.KvzeroError] = getattr(errors, self.kind)
        return kind(self.text)


Request = Open | Batch | Try
Answer = Opened | Found | BatchDone | Tried | Failed

encode = packer.encode

_requests = unpacker(Request)
_answers = unpacker(Answer)


def decode_request(data: bytes) -> Request:
    """What the parent asks."""
    request: Request = _requests.decode(data)
    return request


def decode_answer(data: bytes) -> Answer:
    """What a worker says."""
    answer: Answer = _answers.decode(data)
    return answer
