"""Errors whose one-line message says what is wrong, where, and what to do.

Each class has an exit status. Status 1 is none of these: the command finished, and some puzzles failed.
"""

import os

from nonocensus.scrapers.url import redact


class UserError(Exception):
    """Wrong usage: invalid or conflicting options or paths, or no readable puzzle.

    Base class of all errors shown to users. The message is one line without the secrets of URLs, also where a
    library's error is in it.
    """

    status = 2

    def __init__(self, message: str) -> None:
        super().__init__(redact(" ".join(message.splitlines())))


class InputError(UserError):
    """A store, a run or a table, such as answers or times, is damaged, incomplete or of another kind.

    what     the fault, without the advice
    advice   what to do
    """

    status = 3

    def __init__(self, what: str, advice: str = "") -> None:
        self.what = str(UserError(what)).removesuffix(".")
        super().__init__(f"{self.what}; {advice}" if advice else what)


class VersionError(InputError):
    """A file was written by a newer version; it is intact and must not be quarantined."""


class StorageError(UserError):
    """A disk or object storage can't be read or written: full, unavailable, or permission denied."""

    status = 4


class NetworkError(UserError):
    """A site is unreachable or refuses requests."""

    status = 5


class ClusterError(UserError):
    """Ray is unavailable or failed, or a node is unfit."""

    status = 6


class Interrupted(UserError):
    """Ended by Ctrl-C or SIGTERM."""

    status = 130


def reason_of(error: object) -> str:
    """Return what went wrong: the system's words for an error with a number, which Arrow would say twice."""
    return os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
