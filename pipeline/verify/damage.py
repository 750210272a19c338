"""What verify finds."""

from typing import NamedTuple


class Damage(NamedTuple):
    """Something that is not as it should be.

    file      where, as the user can find it
    what      what is wrong, in one line
    repair    what --repair does about it, or has done; None if it can do nothing
    """

    file: str
    what: str
    repair: str | None = None
