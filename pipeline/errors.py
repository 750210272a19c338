"""What goes wrong in a way that the user can mend: one line each that says what, where and what to do.

Each kind has an exit status of the command line. Status 1 is none of these: the work was done, and some of it failed.
"""


class UserError(Exception):
    """Wrong use: options that don't go together, a folder that holds something else. All other kinds are this too."""

    status = 2


class InputError(UserError):
    """Something that was read is damaged, incomplete, or not what it should be.

    what     the damage, without the advice
    advice   the next command
    """

    status = 3

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(f"{what}; {advice}" if advice else what)
        self.what = what


class VersionError(InputError):
    """A file was written by a newer version: it is whole, and never to be set aside."""


class StorageError(UserError):
    """A disk or a far storage can't be read or written: it is full, away, or does not allow it."""

    status = 4


class NetworkError(UserError):
    """A site gives no answer, or does not want to be asked."""

    status = 5


class ClusterError(UserError):
    """Ray can't be had, has failed, or a machine of the cluster is not fit for the work."""

    status = 6


class Interrupted(UserError):
    """Ended by Ctrl-C or a terminate signal."""

    status = 130
