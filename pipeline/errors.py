"""Errors whose one-line message tells the user what is wrong, where, and what to do.

Each class has an exit status. Status 1 is none of these: the command finished, and some puzzles failed.

UserError
├── InputError
│   └── VersionError
├── StorageError
├── NetworkError
├── ClusterError
└── Interrupted
"""

from nonocensus.scrapers.url import redact


class UserError(Exception):
    """Wrong usage: invalid or conflicting options or paths, or no readable puzzle.

    Base class of all errors shown to users. Secrets in URLs are removed from the message, also from a library's.
    """

    status = 2

    def __init__(self, message: str) -> None:
        super().__init__(redact(message))


class InputError(UserError):
    """A store, a run or a table, such as answers or times, is damaged, incomplete or of another kind.

    what     the fault, without the advice
    advice   what to do
    """

    status = 3

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(f"{what}; {advice}" if advice else what)
        self.what = redact(what)


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
