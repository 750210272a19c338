"""What verify finds."""

from datetime import UTC, datetime
from typing import NamedTuple

from pipeline.store.folder import Folder


def aside(place: Folder) -> Folder:
    """A folder in a folder of damaged files, one for each moment: nothing is overwritten that was set aside before."""
    return place / f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"


class Damage(NamedTuple):
    """Something that is not as it should be.

    file      where, as the user can find it
    what      what is wrong, in one line
    repair    what --repair does about it, or has done; None if it can do nothing
    """

    file: str
    what: str
    repair: str | None = None
