"""What can go wrong that is not a finding: one class a meaning, each with its exit code."""

from __future__ import annotations


class KvzeroError(Exception):
    """Base of every error that kvzero raises on purpose; its text is written for the user.

    It travels between processes, so it is made of one string.
    """

    exit_code = 3


class UsageError(KvzeroError):
    """The command line or a target asks for something that cannot be; nothing was run."""

    exit_code = 2


class CaseError(UsageError):
    """A case file breaks a rule of the format; the text names file, field, value and rule."""


class CorpusError(UsageError):
    """A corpus folder is missing, empty or holds a file that it must not hold."""


class EngineError(KvzeroError):
    """The engine asked for cannot run on this machine."""


class WorkerError(KvzeroError):
    """A worker process could not be started or answered something that it must not."""


class JournalError(KvzeroError):
    """The journal of a campaign cannot be read or written; what it held last still holds."""
