"""The codec under any bytes: a case that survives writing, or a ``CaseError``; nothing else."""

from __future__ import annotations

from fuzz import codec
from fuzz.errors import CaseError
from fuzz.harnesses import Disagreement
from fuzz.harnesses.provider import Bytes, Provide


def one(data: bytes, provider: Provide = Bytes) -> None:  # noqa: ARG001 - every harness is called alike
    """Read ``data`` as a case file's text.

    Raises:
        Disagreement: if the case that it holds is another after it was written and read again.
        Exception: whatever but ``CaseError`` the codec raises.
    """
    try:
        case = codec.decode(data)
    except CaseError as error:
        str(error).encode()  # it is printed, too
        return
    text = codec.encode(case)
    again = codec.decode(text.encode())
    if again != case:
        raise Disagreement(f"a case changes when it is written and read again: {again!r} instead of {case!r}")
    if codec.encode(again) != text:
        raise Disagreement(f"equal cases have two texts: {codec.encode(again)!r} and {text!r}")
    if codec.file_name(again) != codec.file_name(case):
        raise Disagreement(f"equal cases have two names: {codec.file_name(again)} and {codec.file_name(case)}")
